/** What `./scripts/points` runs, and the lines that it prints. */
import { join } from 'node:path';
import { ELSEWHERE, pointsIn } from '../tests/points/elsewhere.ts';
import { POINTS } from '../tests/points/words.ts';

interface Ran {
  file: string;
  /** With what it stands in, as the runner says it: `the build > has …`. */
  name: string;
  failed: boolean;
  /** What the runner said of it before: of one that failed, the code and what was wrong. */
  said: readonly string[];
}

interface Figure {
  number: number;
  words: string;
}

const OWN = 'tests/points';
const root = join(import.meta.dir, '..');

const asked = (numbers: readonly string[]): number[] =>
  (numbers.length > 0 ? numbers : Object.keys(POINTS)).map(Number);

/** The files that prove some points. */
async function filesOf(numbers: readonly number[]): Promise<string[]> {
  const files = new Set(numbers.flatMap((number) => (ELSEWHERE[number] ?? []).map(({ file }) => file)));
  for (const name of new Bun.Glob('*.test.ts').scanSync({ cwd: join(root, OWN) })) {
    const text = await Bun.file(join(root, OWN, name)).text();
    if (pointsIn(text).some((number) => numbers.includes(number))) files.add(`${OWN}/${name}`);
  }
  return [...files];
}

/** The tests that a run has told of; those that failed stand in its end once more. */
function ranIn(log: string): Ran[] {
  let file = '';
  let said: string[] = [];
  const ran = new Map<string, Ran>();
  for (const line of log.split('\n')) {
    file = /^(\S+\.test\.tsx?):$/.exec(line)?.[1] ?? file;
    const [, state, name = ''] = /^\((pass|fail)\) (.*?)(?: \[[\d.]+m?s\])?$/.exec(line) ?? [];
    if (!state) {
      said.push(line);
      continue;
    }
    if (!(state === 'fail' && ran.has(line))) ran.set(line, { file, name, failed: state === 'fail', said });
    said = [];
  }
  return [...ran.values()];
}

/** Whether the test, or what it stands in, is called so. */
const isCalled = (name: string, words: string): boolean =>
  words === '' || name.split(' > ').some((part) => part.startsWith(words));

/** What was wrong, without the code about it: a fault that comes once in a while cannot be asked for again. */
const reasonOf = (said: readonly string[]): readonly string[] =>
  said
    .slice(
      Math.max(
        0,
        said.findIndex((line) => line.startsWith('error: ')),
      ),
    )
    .filter((line) => line.trim() !== '');

/** A point of which nothing was measured was not looked at. */
function stateOf(ran: number, failed: number, figures: number): string {
  if (ran === 0) return 'NOT RUN';
  if (failed > 0) return 'FAILS';
  return figures === 0 ? 'NO FIGURE' : 'holds';
}

/** Prints a line a point; whether all hold. */
function tell(ran: readonly Ran[], figures: readonly Figure[], numbers: readonly number[]): boolean {
  let held = 0;
  for (const number of numbers) {
    const proofs = [{ file: OWN, tests: [`${number}. `] }, ...(ELSEWHERE[number] ?? [])];
    const all = ran.filter((one) =>
      proofs.some(
        ({ file, tests }) => one.file.startsWith(file) && tests.some((words) => isCalled(one.name, words)),
      ),
    );
    const failed = all.filter((one) => one.failed);
    const told = figures.filter((one) => one.number === number).map(({ words }) => words);
    const state = stateOf(all.length, failed.length, told.length);
    if (state === 'holds') held++;
    console.log([`${String(number).padStart(2)} ${state}`, POINTS[number], ...new Set(told)].join(' | '));
    for (const { file, name, said } of failed) {
      console.log([`${file}: ${name}`, ...reasonOf(said)].map((line) => `     ${line}`).join('\n'));
    }
  }
  console.log(`${held} of ${numbers.length} points hold`);
  return held === numbers.length;
}

const [what, ...rest] = process.argv.slice(2);
if (what === 'files') console.log((await filesOf(asked(rest))).join(' '));
else {
  const [log = '', figures = '', ...numbers] = rest;
  const lines = (await Bun.file(figures).text()).split('\n').filter(Boolean);
  const ran = ranIn(await Bun.file(log).text());
  const told = lines.map((line): Figure => JSON.parse(line));
  if (!tell(ran, told, asked(numbers))) process.exit(1);
}
