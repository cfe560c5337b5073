import { useEffect, useState } from "react";

/** Copies a text, and says whether that went well. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    // Browsers keep the clipboard from pages that came over plain HTTP from another machine.
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    done.then(
      () => setSaid("Copied"),
      () => setSaid("Select and copy by hand"),
    );
  };
  return (
    <button type="button" className="copy" onClick={copy} title={text}>
      <span aria-live="polite">{said === "" ? label : said}</span>
    </button>
  );
}
