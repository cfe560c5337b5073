import { isLoopbackLiteral } from "../config/access.js";
import type { Config } from "../config.js";

/** What whoever starts a server should know of the way in, at every start. */
export function exposureWarnings({ auth, host, allowedOrigins }: Config): string[] {
  const warnings: string[] = [];
  if (auth === "off") warnings.push("access control is off: whoever reaches this port may do everything");
  const isBehindTls = allowedOrigins.some((origin) => origin.startsWith("https:"));
  if (!isLoopbackLiteral(host) && host !== "localhost" && !isBehindTls) {
    warnings.push(
      `listening on ${host} without TLS: tokens can be read on the way. Put a proxy with TLS in front, and its https ` +
        "origin into HEADSUP_ALLOWED_ORIGINS",
    );
  }
  return warnings;
}
