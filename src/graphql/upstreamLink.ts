import type { UpstreamKind, UpstreamLinkRecord } from "../awareness/awareness.js";
import { builder, describedEnum } from "./builder.js";

export const UpstreamKindEnum = describedEnum<UpstreamKind>("UpstreamKind", "A tool whose threads can be adopted.", {
  CLAUDE_CODE: "Claude Code, by its transcripts.",
  CODEX: "Codex, by its rollouts.",
});

export const UpstreamLinkRef = builder.objectRef<UpstreamLinkRecord>("UpstreamLink").implement({
  description: "An adopted session's source in another tool, and how its monitoring goes.",
  fields: (t) => ({
    kind: t.expose("kind", { type: UpstreamKindEnum, description: "The tool." }),
    nodeId: t.exposeID("nodeId", { description: "The machine; `local` is this server's own." }),
    threadId: t.exposeID("threadId", { description: "The tool's name for the thread." }),
    missedChecks: t.exposeInt("missedChecks", {
      description: "Consecutive checks that did not find the source. The third removes the link.",
    }),
    failedChecks: t.exposeInt("failedChecks", { description: "Consecutive checks that could not read the source." }),
    skippedRows: t.exposeInt("skippedRows", {
      description: "Rows passed over because they could not be read as records.",
    }),
    unknownRows: t.exposeInt("unknownRows", {
      description: "Records of a kind that is not known here; none of them counts as a human turn.",
    }),
    silent: t.boolean({
      description:
        "Nothing was heard of its node for three cadences: nobody knows about the source. False on this machine.",
      resolve: ({ nodeSilentFrom }) => nodeSilentFrom !== null && nodeSilentFrom.getTime() <= Date.now(),
    }),
    lastCheckedAt: t.expose("lastCheckedAt", {
      type: "DateTime",
      nullable: true,
      description: "Null until the first check.",
    }),
    nextCheckAt: t.expose("nextCheckAt", {
      type: "DateTime",
      nullable: true,
      description: "Not checked before then, unless its file changes, because checks keep failing; null otherwise.",
    }),
  }),
});
