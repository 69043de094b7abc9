/** What the file for the server in front says, as far as the gateway counts on it. */
import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { limits } from '../../src/core/limits.ts';

const text = await Bun.file(join(import.meta.dir, '../../Caddyfile')).text();
const lines = text.split('\n').map((line) => line.trim());
/** What stands behind the first word of the line that begins with it. */
const told = (word: string): string | undefined =>
  lines.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);

const MS = { s: 1_000, m: 60_000 };
function msOf(word: string): number {
  const [, count, unit] = /^(\d+)([sm])$/.exec(told(word) ?? '') ?? [];
  return Number(count) * (unit === 's' ? MS.s : MS.m);
}

it('nobody can rewrite it while it runs', () => {
  const [global] = /^\{$[\s\S]*?^\}$/m.exec(text) ?? [];
  expect(global).toMatch(/^\tadmin off$/m);
});

it('heads, bodies and idle connections end, but not before the gateway ends them itself', () => {
  expect(msOf('read_header')).toBeLessThanOrEqual(30_000);
  expect(msOf('read_body')).toBeGreaterThan(Math.max(limits.uploadReadMs, limits.bodyReadMs));
  expect(msOf('read_body')).toBeLessThanOrEqual(2 * limits.uploadReadMs);
  expect(msOf('idle')).toBeLessThanOrEqual(5 * 60_000);
  expect(msOf('keepalive')).toBeLessThan((limits.answerTakenSec * 1_000) / 1.5);
});

it('the largest body passes, and answers stream for as long as models think', () => {
  expect(Number.parseInt(told('max_size') ?? '', 10) * 1_000_000).toBeGreaterThan(limits.multipartBytes);
  expect(['flush_interval', 'read_timeout', 'write_timeout'].map(told)).toEqual(['-1', '0', '0']);
});
