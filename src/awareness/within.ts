import type { Awareness, SessionRecord } from "./awareness.js";
import type { Agents } from "./viewer.js";

/**
 * The domain as far as these agents reach. Lists and notices hold nothing of other agents' sessions, and their counts
 * and pages are as if there were none. What a caller may ask for by name is not decided here.
 */
export function within(awareness: Awareness, agents: Agents): Awareness {
  if (agents === null) return awareness;
  return {
    ...awareness,
    watches: (filter) => awareness.watches({ ...filter, agents }),
    pendingNotices: (input) => awareness.pendingNotices({ ...input, agents }),
    drainNotices: (input) => awareness.drainNotices({ ...input, agents }),
    acknowledgeNotices: (input) => awareness.acknowledgeNotices({ ...input, agents }),
    subscribe: (watcherSessionKey) => awareness.subscribe(watcherSessionKey, agents),
    sessionsList: (filter) => awareness.sessionsList({ ...filter, agents }),
    sessionCounts: (sessions) => awareness.sessionCounts(sessions, { agents }),
    sessionChanges: (filter) => awareness.sessionChanges({ ...filter, agents }),
    async upstreamCatalog(request) {
      const page = await awareness.upstreamCatalog(request);
      const own = (sessions: readonly SessionRecord[]) => sessions.filter(({ agentId }) => agents.has(agentId));
      return {
        ...page,
        edges: page.edges.map((edge) => ({ ...edge, node: { ...edge.node, adoptedBy: own(edge.node.adoptedBy) } })),
      };
    },
  };
}
