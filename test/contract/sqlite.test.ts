import { openSqliteDomain } from "../support/domain.js";
import { describeAppend } from "./appendContract.js";
import { describeChanges } from "./changesContract.js";
import { describeFeed } from "./feedContract.js";
import { describeNotices } from "./noticeContract.js";
import { describeWatches } from "./watchContract.js";

for (const describeContract of [describeAppend, describeWatches, describeNotices, describeFeed, describeChanges]) {
  describeContract("SQLite", openSqliteDomain);
}
