import type { CatalogEntry, SessionRecord } from "../awareness/awareness.js";
import { builder, toConnection } from "./builder.js";
import { SessionRef } from "./sessions.js";
import { UpstreamKindEnum } from "./upstreamLink.js";

const CatalogEntryRef = builder.objectRef<CatalogEntry>("CatalogEntry").implement({
  description: "A thread of another tool. Names, places and times; never a line of what was said.",
  fields: (t) => ({
    kind: t.expose("kind", { type: UpstreamKindEnum, description: "The tool." }),
    nodeId: t.exposeID("nodeId", { description: "The machine it is on; `local` is this server's own." }),
    threadId: t.exposeID("threadId", { description: "The tool's name for it." }),
    workingDirectory: t.exposeString("workingDirectory", {
      nullable: true,
      description: "Where the tool worked when the thread began, if the file tells.",
    }),
    updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When its file was last written." }),
    adoptedBy: t.expose("adoptedBy", {
      type: [SessionRef],
      nullable: { list: false, items: false },
      description: "The sessions that have adopted this thread.",
    }),
  }),
});

const CatalogConnection = builder.connectionObject(
  { type: CatalogEntryRef, name: "CatalogConnection", description: "A page of the catalog." },
  { name: "CatalogEdge", description: "A thread and its place in the catalog." },
);

const UpstreamSourceInput = builder.inputType("UpstreamSourceInput", {
  description: "Names one native thread of a known tool.",
  fields: (t) => ({
    kind: t.field({ type: UpstreamKindEnum, required: true, description: "The tool." }),
    nodeId: t.id({ defaultValue: "local", description: "The machine; `local` is this server's own." }),
    threadId: t.id({ required: true, description: "The tool's name for the thread, as the catalog shows it." }),
  }),
});

const AdoptSessionInput = builder.inputType("AdoptSessionInput", {
  description: "A thread, and whose session it becomes.",
  fields: (t) => ({
    source: t.field({ type: UpstreamSourceInput, required: true, description: "The thread." }),
    agentId: t.id({ required: true, description: "The agent whose session it becomes." }),
    label: t.string({ description: "A name for people." }),
  }),
});

const NoteOwnPromptInput = builder.inputType("NoteOwnPromptInput", {
  description: "A prompt that the agent itself sent, so that it is not taken for a person's. Its text is never sent.",
  fields: (t) => ({
    sessionKey: t.id({ required: true, description: "The adopted session." }),
    agentId: t.id({ description: "Its agent; needed beside a bare key." }),
    textDigest: t.string({
      required: true,
      description:
        "Lower-case hex SHA-256 of the prompt in NFC, runs of white space as one space, trimmed. It swallows one turn.",
    }),
  }),
});

const AdoptSessionPayload = builder
  .objectRef<{ session: SessionRecord; created: boolean }>("AdoptSessionPayload")
  .implement({
    description: "The session that the thread is now linked to.",
    fields: (t) => ({
      session: t.expose("session", { type: SessionRef, description: "The session, with its link." }),
      created: t.exposeBoolean("created", {
        description: "False when it was adopted before and this call continued it.",
      }),
    }),
  });

const NoteOwnPromptPayload = builder.objectRef<{ noted: boolean }>("NoteOwnPromptPayload").implement({
  description: "Whether the prompt was noted.",
  fields: (t) => ({
    noted: t.exposeBoolean("noted", { description: "False when the session has no source that is monitored." }),
  }),
});

builder.queryFields((t) => ({
  upstreamCatalog: t.field({
    type: CatalogConnection,
    description: "Threads of known tools that can be adopted, newest first.",
    args: {
      kind: t.arg({ type: UpstreamKindEnum, description: "Only threads of this tool." }),
      first: t.arg.int({ defaultValue: 50, description: "At most this many, 1 to 200." }),
      after: t.arg.string({ description: "Read on behind this cursor." }),
    },
    resolve: async (_root, args, { awareness }) => toConnection(await awareness.upstreamCatalog(args), args.after),
  }),
}));

builder.mutationFields((t) => ({
  adoptSession: t.field({
    type: AdoptSessionPayload,
    description: "Adopt a catalog thread, or continue one: either way monitoring starts at its present end.",
    args: { input: t.arg({ type: AdoptSessionInput, required: true, description: "The thread and the agent." }) },
    resolve: (_root, { input }, { awareness }) => awareness.adoptSession(input),
  }),
  noteOwnPrompt: t.field({
    type: NoteOwnPromptPayload,
    description: "Say that the next turn with these words is the agent's own. The last ten of a session are kept.",
    args: { input: t.arg({ type: NoteOwnPromptInput, required: true, description: "The prompt's digest." }) },
    resolve: (_root, { input }, { awareness }) => awareness.noteOwnPrompt(input),
  }),
}));
