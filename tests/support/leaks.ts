/**
 * What no server of any test may write, whatever the test does with it: the passwords of tests, which all hold one word, and
 * keys, which have a shape. Every server's output is heard here, and `./scripts/test` fails where one has told a secret.
 * The runner's own output is not: an assertion that fails shows what it compared.
 */
import { appendFileSync } from 'node:fs';

const SECRETS = [/Passw0rd/, /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{6,}/, /\boas_[A-Za-z0-9_-]{6,}/] as const;
/** A text comes in pieces, and a secret may lie in two of them. */
const LONGEST = 100;

/** The lines that tell a secret. */
export const leaksIn = (text: string): string[] =>
  text.split('\n').filter((line) => SECRETS.some((secret) => secret.test(line)));

/** Who hears what a server writes, piece by piece. */
export function listener(): (piece: string) => void {
  const { TEST_LEAKS: file } = process.env;
  let end = '';
  return (piece) => {
    const heard = end + piece;
    end = heard.slice(-LONGEST);
    if (file) for (const line of leaksIn(heard)) appendFileSync(file, `${line}\n`);
  };
}
