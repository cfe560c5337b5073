import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Job, JobName, JobResult } from "./jobs.js";
import type { Report, WorkerOptions } from "./worker.js";

const script = fileURLToPath(new URL("worker.ts", import.meta.url));

/** A process with the domain on one database: see worker.ts. */
export type Worker = {
  /** One job at a time. */
  run<Name extends JobName>(job: Name, input: Parameters<Job<Name>>[1]): Promise<JobResult<Name>>;
  /** Rows of the batches that it has pruned so far. */
  pruned: readonly number[];
  /** Called after each such batch. */
  onPruned(listener: () => void): void;
  kill(): Promise<void>;
  stop(): Promise<void>;
};

export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const child = fork(script, [JSON.stringify(options)], { execArgv: ["--import", "tsx"] });
  const exited = once(child, "exit");
  const pruned: number[] = [];
  let listener = () => {};
  child.on("message", (report: Report) => {
    if (report.kind !== "pruned") return;
    pruned.push(report.rows);
    listener();
  });

  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      const hear = (report: Report) => {
        if (report.kind === "pruned") return;
        settle();
        if (report.kind === "done") resolve(report.result);
        else reject(new Error(report.why));
      };
      const gone = () => {
        settle();
        reject(new Error("the process has ended"));
      };
      const settle = () => child.off("message", hear).off("exit", gone);
      child.on("message", hear).on("exit", gone);
    });

  await answer();
  return {
    pruned,
    onPruned(told) {
      listener = told;
    },
    async run<Name extends JobName>(job: Name, input: Parameters<Job<Name>>[1]) {
      const result = answer();
      child.send({ job, input });
      // What the other side sends is what its job returned.
      return (await result) as JobResult<Name>;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
