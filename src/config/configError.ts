const shownMaxChars = 80;

/** A variable that stops the start. Its message is one line: the variable, its value unless secret, what is allowed. */
export class ConfigError extends Error {
  readonly variable: string;

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.name = "ConfigError";
    this.variable = variable;
  }
}

/** A value in quotes on one line, without its far end when it is long. */
export function shown(value: string): string {
  const short = value.length > shownMaxChars ? `${value.slice(0, shownMaxChars)}…` : value;
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(short).replace(/[\u007f-\u009f\u2028\u2029]/g, escaped);
}
