/** The two pages of a server that has not let somebody in: no script, nothing from elsewhere, nothing of the request. */

export const notLoggedInPage = pageOf(
  "Not logged in",
  "To log in, run <code>headsup login</code> where the server runs, and open the link that it prints. " +
    'If you have just done that, <a href="/">go on</a>.',
);

export const usedLinkPage = pageOf(
  "This link does not work any more",
  "A login link works once, and for 10 minutes. Run <code>headsup login</code> for another. " +
    'If you are logged in already, <a href="/">go on</a>.',
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
