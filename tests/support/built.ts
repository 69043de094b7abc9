/** The built console, as its manifest tells it. */
import { join } from 'node:path';
import type { BuiltFiles } from '../../scripts/budget.ts';
import { build } from './browser.ts';

const folder = join(import.meta.dir, '../../dist/web');

/** Built first where the sources have changed. */
export async function builtFiles(): Promise<BuiltFiles> {
  await build();
  return Bun.file(join(folder, 'manifest.json')).json();
}

/** How many bytes a built file has for a browser that takes gzip. */
export const gzippedBytes = (file: string): number => Bun.file(join(folder, `${file}.gz`)).size;

export const builtText = (file: string): Promise<string> => Bun.file(join(folder, file)).text();

/** Where the server has a built file. */
export const addressOf = (file: string): string => `/_a/${file}`;
