/**
 * The benchmark. Every target is measured in turn, round after round, and compared within each round: figures of two
 * runs, or of two machines, say little beside one another. `--quick` is a smoke of some seconds, `--only plain`,
 * `streams`, `one` and `memory` a part of it, `--against COMMIT` measures the product as it was then beside it. Ends
 * with 1 when a call failed, or when the books of one of its databases are not clean.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureChoosing } from './choosing.ts';
import { Series } from './figures.ts';
import { marksOf, type Run } from './marks.ts';
import { measure } from './measure.ts';
import { measureMemory, type StreamMemory } from './memory.ts';
import { askedOf, FULL, MANY, type Member, ONE, PARTS, planOf, QUICK, rotated, seriesOf } from './plan.ts';
import { load, stopAll } from './processes.ts';
import { groupText, mark, markText, memoryText } from './report.ts';
import { openStage, type Stage } from './stage.ts';
import { measureWords } from './words.ts';

const { values: asked } = parseArgs({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, against: { type: 'string' } },
});
const parts = asked.only === undefined ? PARTS : PARTS.filter((part) => part === asked.only);
if (parts.length === 0) throw new Error(`--only takes one of ${PARTS.join(', ')}`);
const sizes = asked.quick ? QUICK : FULL;
const groups = planOf(parts, sizes, asked.against !== undefined);

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.on('exit', stopAll);

const say = (what: string) => process.stderr.write(`${what}\n`);

/** The compilers of a process come to rest only after some thousand calls. */
async function warmUp({ raw, onPostgres, onPglite, before }: Stage): Promise<void> {
  for (const { target, keys } of [raw, onPostgres, onPglite, ...(before ? [before] : [])]) {
    const { port } = target;
    await load({ port, kind: 'plain', connections: 32, seconds: sizes.warmUpSeconds, keys });
  }
}

/** Before anything else has filled the pools that streams draw from. */
async function memoryOf(stage: Stage): Promise<Map<Member, StreamMemory>> {
  const memory = new Map<Member, StreamMemory>();
  if (!parts.includes('memory')) return memory;
  const group = planOf(['streams'], sizes, asked.against !== undefined).find(({ name }) => name === MANY);
  for (const member of group?.members ?? []) {
    if (!group || member === 'direct') continue;
    say(`memory: ${member}`);
    const { asked: of, load: work } = askedOf(stage, member, group);
    const { streams, memoryRounds: rounds } = sizes;
    memory.set(member, await measureMemory(stage.mock, of, { streams, rounds, ...work }));
  }
  return memory;
}

async function run(stage: Stage): Promise<Run> {
  await warmUp(stage);
  const memory = await memoryOf(stage);
  const series = new Series();
  const commitMs: number[] = [];
  for (let round = 0; round < sizes.rounds; round++) {
    say(`round ${round + 1} of ${sizes.rounds}`);
    for (const group of groups) {
      for (const member of rotated(group.members, round)) {
        const { asked: of, load: work } = askedOf(stage, member, group);
        series.add(seriesOf(group, member), await measure(stage, of, work));
      }
      if (group.name === ONE) commitMs.push(await stage.eye.commitMs(sizes.seconds * 1_000));
    }
  }
  return { groups, series, commitMs, memory };
}

function report(found: Run): void {
  const { series, memory, commitMs } = found;
  console.log(
    `\n${cpus().length} cores shared by load, gateway, mock and Postgres (fsync on); ${sizes.accounts} accounts; medians of ${sizes.rounds} rounds, in brackets the middle half of them; ratios within a round\n`,
  );
  for (const group of groups) console.log(`${groupText(group, series)}\n`);
  if (commitMs.length > 0)
    console.log(`a bare commit: ${commitMs.map((ms) => ms.toFixed(2)).join(', ')} ms\n`);
  if (memory.size > 0) console.log(`${memoryText(memory, sizes.streams)}\n`);
  for (const each of marksOf(found)) console.log(markText(each));
}

/** What needs no server. */
function reportParts(): void {
  const choosing = measureChoosing();
  for (const { name, us } of choosing)
    console.log(`choosing among 1,000 channels, ${name}: ${us.toFixed(1)} µs`);
  for (const { name, ms } of measureWords())
    console.log(`looking for 10,000 words in ${name}: ${ms.toFixed(2)} ms`);
  const slowest = Math.max(...choosing.map(({ us }) => us));
  console.log(mark('microseconds of the slowest choice', slowest, slowest < 20, 'less than 20'));
}

/** True when every unit is accounted for. */
async function reportAudits(stage: Stage): Promise<boolean> {
  const audits = await stage.audits();
  for (const { name, text } of audits) console.log(`\naudit of ${name}:\n${text}`);
  return audits.every(({ isClean }) => isClean);
}

const stage = await openStage({ accounts: sizes.accounts, against: asked.against });
let isWell = false;
try {
  const found = await run(stage);
  report(found);
  const { failed } = found.series;
  console.log(mark('failed calls', failed, failed === 0, 'none'));
  if (asked.only === undefined) reportParts();
  isWell = (await reportAudits(stage)) && failed === 0;
} finally {
  await stage.close();
}
process.exit(isWell ? 0 : 1);
