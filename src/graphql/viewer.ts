import { type Scope, scopeNames, type Viewer } from "../awareness/viewer.js";
import { builder, describedEnum } from "./builder.js";

const ScopeEnum = describedEnum<Uppercase<Scope>>("Scope", "What a token lets its bearer do.", {
  READ: "Reading, and being told.",
  WRITE: "Logging events and registering sessions; with `READ`, watching and taking notices too.",
  ADMIN: "Both for all agents, adopting and deleting.",
});

const upperCase: Readonly<Record<Scope, Uppercase<Scope>>> = { read: "READ", write: "WRITE", admin: "ADMIN" };

const ViewerRef = builder.objectRef<Viewer>("Viewer").implement({
  description: "Whoever asks, as the service knows them.",
  fields: (t) => ({
    name: t.exposeString("name", { description: "The name of the token." }),
    scopes: t.field({
      type: [ScopeEnum],
      description: "What it may do.",
      resolve: ({ scopes }) => scopeNames.filter((name) => scopes.has(name)).map((name) => upperCase[name]),
    }),
    agents: t.field({
      type: ["ID"],
      nullable: { list: true, items: false },
      description: "The agents whose sessions it reaches; null for all.",
      resolve: ({ agents }) => agents && [...agents],
    }),
  }),
});

builder.queryField("viewer", (t) =>
  t.field({
    type: ViewerRef,
    description: "Who you are to this service, and what you may do. Open to every token.",
    resolve: (_root, _args, { viewer }) => viewer,
  }),
);
