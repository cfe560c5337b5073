import type { Row } from "../row.js";
import { appendDomain } from "./appendDomain.js";
import { fanOut } from "./fanOut.js";
import { httpAppend } from "./httpAppend.js";
import { httpAppendMany } from "./httpAppendMany.js";
import { idleMemory } from "./idleMemory.js";
import { noticeLatency } from "./noticeLatency.js";
import { openNotices } from "./openNotices.js";
import { pendingWatchers } from "./pendingWatchers.js";
import { postgresProcesses } from "./postgresProcesses.js";
import { retention } from "./retention.js";
import { sessionStatus } from "./sessionStatus.js";
import { startUp } from "./startUp.js";
import { upstreamCatalog } from "./upstreamCatalog.js";
import { upstreamCatchUp } from "./upstreamCatchUp.js";
import { upstreamRound } from "./upstreamRound.js";
import { webSocketAppend } from "./webSocketAppend.js";

/** In the order of the table. */
export const rows: readonly Row[] = [
  appendDomain,
  pendingWatchers,
  openNotices,
  httpAppend,
  webSocketAppend,
  httpAppendMany,
  sessionStatus,
  fanOut,
  noticeLatency,
  idleMemory,
  startUp,
  retention,
  upstreamCatalog,
  upstreamRound,
  upstreamCatchUp,
  postgresProcesses,
];
