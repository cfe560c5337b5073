import { openSqliteDomain } from "../support/domain.js";
import { describeAppend } from "./appendContract.js";
import { describeChanges } from "./changesContract.js";
import { describeFeed } from "./feedContract.js";
import { describeNotices } from "./noticeContract.js";
import { describePruning } from "./pruningContract.js";
import { describeWatches } from "./watchContract.js";

const contracts = [describeAppend, describeWatches, describeNotices, describeFeed, describeChanges, describePruning];
for (const describeContract of contracts) {
  describeContract("SQLite", openSqliteDomain);
}
