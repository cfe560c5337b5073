/**
 * Finding text whatever its case. The databases fold differently (SQLite's LOWER only ASCII, PostgreSQL's what its locale
 * says), so it is done here: a pattern says for each letter which forms it has.
 */

/** Letters with more forms than two, such as σ, ς and Σ, all lie below. */
const manyFormsBelow = 0x2200;

/** The forms of each letter that has more than its own capital. */
const forms = new Map<string, string[]>();
for (let code = 0; code < manyFormsBelow; code += 1) {
  const letter = String.fromCodePoint(code);
  const capital = capitalOf(letter);
  forms.set(capital, [...(forms.get(capital) ?? []), letter]);
}

/** Each character of the text with all its forms. What changes its length with its case (ß, İ) has only its own. */
export function casesOf(text: string): string[][] {
  return [...text].map((letter) => {
    const known = [letter, letter.toLowerCase(), letter.toUpperCase(), ...(forms.get(capitalOf(letter)) ?? [])];
    return [...new Set(known)].filter((form) => [...form].length === 1);
  });
}

function capitalOf(letter: string): string {
  const capital = letter.toLowerCase().toUpperCase();
  return [...capital].length === 1 ? capital : letter;
}
