import { expect, it } from 'bun:test';
import { join } from 'node:path';

async function run(fault: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'faults.fixture.ts'), fault], {
    stdout: 'pipe',
  });
  const text = await new Response(child.stdout).text();
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { code: await child.exited, events };
}

const uncaught = { level: 'error', error: { message: 'nobody caught this' } };

it('logs a rejection that nobody caught, and goes on', async () => {
  const { code, events } = await run('rejection');
  expect(events).toMatchObject([{ ...uncaught, event: 'unhandled.rejection' }, { event: 'still here' }]);
  expect(code).toBe(0);
});

it('logs an exception that nobody caught, stops, and exits with 1', async () => {
  const { code, events } = await run('exception');
  expect(events).toMatchObject([{ ...uncaught, event: 'uncaught.exception' }, { event: 'stopping' }]);
  expect(code).toBe(1);
});
