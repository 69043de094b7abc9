/** Writes the file of default prices. Its date is the day on which the installed list was published. */
import { join } from 'node:path';
import { $ } from 'bun';
import type { PriceFile } from '../src/options/default-ratios.ts';
import { installedVersion, makePriceFile, textOf } from './prices/list.ts';

const target = join(import.meta.dir, '../src/options/default-prices.json');

const version = await installedVersion();
const published: Record<string, string> =
  await $`${process.execPath} pm view @pydantic/genai-prices time --json`.json();
const asOf = published[version]?.slice(0, 10);
if (!asOf) throw new Error(`the registry does not know when ${version} was published`);

const before: PriceFile = await Bun.file(target).json();
const file = makePriceFile(version, asOf);
await Bun.write(target, textOf(file));

/** What an operator who reads the log of a refresh wants to know. */
for (const [model, price] of Object.entries(file.tokens)) {
  const [old, now] = [before.tokens[model], price].map((value) => JSON.stringify(value));
  if (old !== now) console.log(old ? `changed ${model}: ${old} → ${now}` : `new ${model}: ${now}`);
}
for (const model of Object.keys(before.tokens)) {
  if (!(model in file.tokens)) console.log(`gone ${model}`);
}
console.log(`${Object.keys(file.tokens).length} models, prices of ${asOf}`);
