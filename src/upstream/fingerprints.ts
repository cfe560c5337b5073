import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** How much of a file's start, and of what stands before the position, is compared. A small file is compared whole. */
const edgeBytes = 64 * 1024;

export type Fingerprint = { readonly headDigest: string; readonly tailDigest: string };

/** Digests of the first bytes of a file and of the last bytes before `position`: what an append leaves as it was. */
export async function fingerprint(file: FileHandle, position: number): Promise<Fingerprint> {
  const length = Math.min(edgeBytes, position);
  const headDigest = await digestOf(file, 0, length);
  return {
    headDigest,
    tailDigest: position <= edgeBytes ? headDigest : await digestOf(file, position - length, length),
  };
}

export function sameFingerprint(one: Fingerprint, other: Fingerprint): boolean {
  return one.headDigest === other.headDigest && one.tailDigest === other.tailDigest;
}

/** Names a file on this machine for as long as it exists. */
export function identityOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}

/** Changes whenever a file's content or name may have changed. */
export function versionOf(stat: BigIntStats): string {
  return `${identityOf(stat)}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

async function digestOf(file: FileHandle, from: number, length: number): Promise<string> {
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(bytes, read, length - read, from + read);
    if (bytesRead === 0) break; // shorter than it was: the digest will not match
    read += bytesRead;
  }
  return createHash("sha256").update(bytes.subarray(0, read)).digest("hex");
}
