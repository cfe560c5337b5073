import { useEffect } from "react";
import { CopyButton } from "../parts/copyButton.js";
import { knock } from "../store/app.js";

export function SignedOut({ before }: { before: boolean }) {
  useEffect(() => {
    const look = () => void knock();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  return (
    <section className="card narrow">
      <h1>{before ? "You have been signed out" : "Not logged in"}</h1>
      <p>
        {before
          ? "Your session has ended, or its token was revoked. What was shown here is gone from the page."
          : "This page shows what its visitor may see, so it has to know who you are."}
      </p>
      <p>To log in, run this where the server runs, and open the link that it prints in this browser:</p>
      <pre className="code">headsup login</pre>
      <p>
        (In a clone: <code>node dist/main.js login</code>.)
      </p>
      <p className="buttons">
        <CopyButton text="headsup login" label="Copy" />
        <button type="button" className="primary" onClick={() => void knock()}>
          I have logged in
        </button>
      </p>
    </section>
  );
}
