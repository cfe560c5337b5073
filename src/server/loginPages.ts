/** The pages of a server that has not let somebody in: no script, nothing from elsewhere, nothing of the request. */

const login = "<code>headsup login</code> (in a clone: <code>node dist/main.js login</code>)";

export const notLoggedInPage = pageOf(
  "Not logged in",
  `To log in, run ${login} where the server runs, and open the link that it prints. ` +
    'If you have just done that, <a href="/">go on</a>. A login holds for the host name in its link alone: ' +
    "<code>localhost</code> is another one than <code>127.0.0.1</code>.",
);

export const usedLinkPage = pageOf(
  "This link does not work any more",
  `A login link works once, and for 10 minutes. Run ${login} for another. ` +
    'If you are logged in already, <a href="/">go on</a>.',
);

export const noCodePage = pageOf(
  "This is no login link",
  `It has no code. Run ${login} where the server runs, and open the whole link that it prints.`,
);

function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>headsup: ${title}</title>
<style>body { font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem }</style>
<h1>${title}</h1>
<p>${body}</p>
</html>
`;
}
