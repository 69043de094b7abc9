import { describe, expect, it } from 'bun:test';
import { Stopping } from './stopping.ts';

describe('stopping', () => {
  it('waits for tracked work and leaves its deadline alone when it ends in time', async () => {
    const stopping = new Stopping();
    const work = Promise.withResolvers<string>();
    expect(stopping.track(work.promise)).toBe(work.promise);
    const stopped = stopping.begin(60_000);
    expect(stopping.begun).toBe(true);
    work.resolve('done');
    expect(await stopped).toBe(0);
    expect(stopping.signal.aborted).toBe(false);
  });

  it('cuts what is still open when the grace is over, and waits for it to settle', async () => {
    const stopping = new Stopping();
    const events: string[] = [];
    const stream = new Promise<void>((resolve) => {
      stopping.signal.addEventListener('abort', () => {
        events.push('cut');
        setTimeout(() => {
          events.push('settled');
          resolve();
        }, 20);
      });
    });
    void stopping.track(stream);
    expect(await stopping.begin(10)).toBe(0);
    expect(events).toEqual(['cut', 'settled']);
  });

  it('counts failed work as ended', async () => {
    const stopping = new Stopping();
    const work = Promise.withResolvers<void>();
    stopping.track(work.promise).catch(() => undefined);
    const stopped = stopping.begin(60_000);
    work.reject(new Error('the upstream went away'));
    expect(await stopped).toBe(0);
  });

  it('stops at once when nothing is open', async () => {
    expect(await new Stopping().begin(60_000)).toBe(0);
  });
});
