import { describe, expect, it, spyOn } from 'bun:test';
import { patience } from '../../../tests/support/patience.ts';
import { until } from '../../../tests/support/waits.ts';
import { limits } from '../../core/limits.ts';
import { AS_SHOWN } from '../../core/vendor-bill.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { type Splitter, splitterFor } from '../../dialects/framing.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { JsonSplitter } from '../../dialects/json-splitter.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { type StreamPassage, samePassage } from '../../dialects/passage.ts';
import { ToolCounter } from '../../dialects/tool-uses.ts';
import { BodyBudget } from '../../platform/body-budget.ts';
import type { StandsStill } from '../../platform/reader-pace.ts';
import { Deadlines } from '../attempt/deadlines.ts';
import { Drain, DrainGate } from './drain.ts';
import { LackedRoom } from './lacked-room.ts';
import { StreamMeter } from './meter.ts';
import { Pump, type Sink } from './pump.ts';
import { StreamRoom } from './stream-room.ts';

const facts = openaiChat.readRequest({ model: 'm', stream: true, messages: [{ role: 'user' }] }, {});
const encoder = new TextEncoder();
const content = (text: string) =>
  encoder.encode(
    `data: {"id":"c","choices":[{"index":0,"delta":{"content":"${text}"},"finish_reason":null}]}\n\n`,
  );
const FINISH = encoder.encode(
  'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
);
const ROLE = encoder.encode(
  'data: {"id":"c","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n',
);

/** A caller's side that keeps what it is given; `full` makes its writes wait. */
class Caller implements Sink {
  got = '';
  full: Promise<number> | null = null;
  write(bytes: Uint8Array | string): number | Promise<number> {
    this.got += typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
    return this.full ?? 1;
  }
  flush(): void {}
}

interface Given {
  drains?: DrainGate;
  drainMs?: number;
  pauseMs?: number;
  idleMs?: number;
  holdMs?: number;
  lingerMs?: number;
  dialect?: Dialect;
  passage?: StreamPassage;
  answersHeld?: BodyBudget;
  splitter?: Splitter;
  standsStill?: StandsStill;
  mayHaveTold?: boolean;
  tools?: ToolCounter;
  keepAlive?: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;
const CALLER = { userId: 1, ip: '198.51.100.1', hold: () => undefined };

/** A pump over a stream that the test writes to. */
function setUp({
  drains = new DrainGate(),
  drainMs = 1_000,
  pauseMs = 60_000,
  idleMs = 60_000,
  holdMs,
  lingerMs,
  dialect = openaiChat,
  passage = samePassage(dialect).stream(facts),
  answersHeld = new BodyBudget(512 * MIB),
  splitter = splitterFor('text/event-stream'),
  standsStill,
  mayHaveTold = false,
  tools,
  keepAlive,
}: Given = {}) {
  const rooms = { answersHeld, answersByNetwork: new BodyBudget(512 * MIB), lackedRoom: new LackedRoom() };
  const upstream = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 0 });
  const writer = upstream.writable.getWriter();
  const abort = new AbortController();
  const left = new AbortController();
  const cancelled = Promise.withResolvers<void>();
  abort.signal.addEventListener('abort', () => {
    cancelled.resolve();
    void writer.abort(new Error('cancelled')).catch(() => undefined);
  });
  const deadlines = new Deadlines({ totalMs: 60_000, pauseMs }, () => pump.expire());
  const pump: Pump = new Pump({
    body: upstream.readable,
    splitter,
    passage,
    meter: new StreamMeter(null),
    room: new StreamRoom(CALLER, rooms),
    standsStill,
    mayHaveTold,
    ...(tools && { tools }),
    keepAlive,
    deadlines,
    abort,
    left: left.signal,
    drain: new Drain(drains, 1, { ms: drainMs, bytes: limits.drainBytes }),
    idleMs,
    holdMs,
    lingerMs,
    startedAt: performance.now(),
  });
  const send = (bytes: Uint8Array) => writer.write(bytes);
  return {
    pump,
    send,
    writer,
    deadlines,
    abort,
    left,
    drains,
    cancelled: cancelled.promise,
    close: () => writer.close(),
  };
}

describe('a pump', () => {
  it('holds what comes before the first content, and gives it out in order', async () => {
    const { pump, send, close } = setUp();
    let isOpen = false;
    void pump.opened.then(() => {
      isOpen = true;
    });
    await send(ROLE);
    // It asks for the next piece only when it has done with this one.
    await send(encoder.encode(': busy\n\n'));
    expect(isOpen).toBe(false);
    const sending = send(content('one'));
    expect(await pump.opened).toBeNull();
    const caller = new Caller();
    pump.attach(caller);
    await sending;
    await send(FINISH);
    await close();
    expect((await pump.ended).end).toBe('done');
    expect(caller.got).toBe(new TextDecoder().decode(Buffer.concat([ROLE, content('one'), FINISH])));
  });

  it('sees when calls have run until it waits for its reader', async () => {
    const tools = new ToolCounter(AS_SHOWN);
    const { pump, send, close } = setUp({ tools });
    const call = (id: string) => {
      const item = { type: 'code_interpreter_call', id, container_id: id, status: 'completed' };
      return encoder.encode(`data: ${JSON.stringify({ type: 'response.output_item.done', item })}\n\n`);
    };
    const seen = () => tools.containers.map(({ doneSec }) => doneSec !== undefined);
    const beginning = send(content('one'));
    await pump.opened;
    const caller = new Caller();
    pump.attach(caller);
    await beginning;
    await send(call('ci_1'));
    await send(content('two'));
    caller.full = Promise.resolve(1);
    for (const frame of [content('three'), call('ci_2'), FINISH]) await send(frame);
    await close();
    await pump.ended;
    expect(seen()).toEqual([true, false]);
  });

  it('says that it is there behind whole frames, but not to who does not read, nor when it has ended', async () => {
    const { pump, send, close } = setUp({ keepAlive: ': here\n\n' });
    pump.sayNothing();
    const first = send(content('one'));
    await pump.opened;
    pump.sayNothing();
    const caller = new Caller();
    pump.attach(caller);
    await first;
    pump.sayNothing();
    const room = Promise.withResolvers<number>();
    caller.full = room.promise;
    const second = send(content('two'));
    await until('the second frame', () => caller.got.includes('two'));
    pump.sayNothing();
    caller.full = null;
    room.resolve(1);
    await second;
    await close();
    await pump.ended;
    pump.sayNothing();
    const all = [content('one'), encoder.encode(': here\n\n'), content('two')];
    expect(caller.got).toBe(new TextDecoder().decode(Buffer.concat(all)));
  });

  it('ends where its caller’s side takes no sign that it is there', async () => {
    const { pump, send, close } = setUp({ keepAlive: ': here\n\n' });
    const first = send(content('one'));
    await pump.opened;
    const caller = new Caller();
    pump.attach(caller);
    await first;
    caller.write = () => {
      throw new TypeError('the controller is closed');
    };
    pump.sayNothing();
    await close();
    expect((await pump.ended).end).toBe('client_gone');
  });

  it('reads no further while the caller does not', async () => {
    const { pump, send, close } = setUp();
    const caller = new Caller();
    const taken: number[] = [];
    const sending = (async () => {
      for (let i = 0; i < 10; i++) {
        await send(content(`piece ${i}`));
        taken.push(i);
      }
      await close();
    })();
    await pump.opened;
    const room = Promise.withResolvers<number>();
    caller.full = room.promise;
    pump.attach(caller);
    // Whoever reads on takes all ten in far fewer turns.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(taken.length).toBeLessThan(4);
    caller.full = null;
    room.resolve(1);
    await sending;
    await pump.ended;
    expect(caller.got.match(/piece/g)).toHaveLength(10);
  });

  it('waits for nobody who leaves before he has read a frame that is the last one as well', async () => {
    const passage = samePassage(openaiChat).stream(facts);
    const push = passage.push.bind(passage);
    passage.push = (frame) => ({ ...push(frame), last: true });
    const { pump, send, left } = setUp({ passage, idleMs: 2_000 });
    const sending = send(content('all')).catch(() => undefined);
    await pump.opened;
    left.abort();
    const startedAt = performance.now();
    expect((await pump.ended).end).toBe('done');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    await sending;
  });

  it('takes a caller who does not read until the deadline for gone', async () => {
    const { pump, send } = setUp({ idleMs: 50, drainMs: 0 });
    const sending = send(content('one')).catch(() => undefined);
    await pump.opened;
    const caller = new Caller();
    caller.full = new Promise(() => undefined);
    pump.attach(caller);
    expect((await pump.ended).end).toBe('client_gone');
    await sending;
  });

  it('tells why there is no first content', async () => {
    const empty = setUp();
    await empty.close();
    expect(await empty.pump.opened).toEqual({ kind: 'broken', reason: 'its stream broke off' });

    const failing = setUp();
    await failing.send(encoder.encode('data: {"error":{"message":"no","code":"x"}}\n\n'));
    expect(await failing.pump.opened).toMatchObject({ kind: 'error', error: { message: 'no', code: 'x' } });

    const silent = setUp({ pauseMs: 30 });
    await silent.send(ROLE);
    expect(await silent.pump.opened).toEqual({ kind: 'timeout' });
    await silent.cancelled;
  });

  it('is not kept waiting for its first content by signs of life without any', async () => {
    const { pump, send } = setUp({ pauseMs: 100 });
    const startedAt = performance.now();
    const timer = setInterval(() => void send(encoder.encode(': busy\n\n')).catch(() => undefined), 10);
    expect(await pump.opened).toEqual({ kind: 'timeout' });
    clearInterval(timer);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('goes on to read for a caller who has left, and no more than the bound', async () => {
    const { pump, send, left, drains, cancelled } = setUp();
    const sending = send(content('one'));
    await pump.opened;
    pump.attach(new Caller());
    await sending;
    left.abort();
    expect(drains.open).toBe(1);
    const large = content('x'.repeat(limits.drainBytes / 4));
    for (let i = 0; i < 5; i++) await send(large).catch(() => undefined);
    expect((await pump.ended).end).toBe('client_gone');
    await cancelled;
    expect(drains.open).toBe(0);
  });

  it.each([
    ['its upstream has ended', new DrainGate(), { input: 0, output: 0 }],
    ['nobody reads to its end', new DrainGate(0), null],
  ])('believes counts of nothing beside the reason of an end where %s', async (_, drains, usage) => {
    const { pump, send, left, close } = setUp({ drains });
    const counted = ',"usage":{"prompt_tokens":0,"completion_tokens":0}}\n\n';
    const finish = new TextDecoder().decode(content('all')).replace('null', '"stop"');
    const sending = send(encoder.encode(finish.replace('}\n\n', counted)));
    await pump.opened;
    pump.attach(new Caller());
    await sending;
    left.abort();
    await close().catch(() => undefined);
    const ending = await pump.ended;
    if (usage) expect(ending.usage).toMatchObject(usage);
    else expect([ending.end, ending.usage]).toEqual(['client_gone', null]);
  });

  it('tells an upstream that ended with nothing from one that nobody read any further', async () => {
    const broken = setUp({ holdMs: 1 });
    expect(await broken.pump.opened).toBeNull();
    broken.left.abort();
    await broken.close();
    expect(await broken.pump.ended).toMatchObject({ end: 'client_gone', isEmpty: true });

    const cancelled = setUp({ holdMs: 1, drains: new DrainGate(0) });
    expect(await cancelled.pump.opened).toBeNull();
    cancelled.left.abort();
    expect(await cancelled.pump.ended).toMatchObject({ end: 'client_gone', isEmpty: false });

    const large = setUp({ holdMs: 1 });
    expect(await large.pump.opened).toBeNull();
    large.left.abort();
    await large.send(encoder.encode(`: ${'x'.repeat(limits.drainBytes)}\n\n`));
    expect(await large.pump.ended).toMatchObject({ end: 'client_gone', isEmpty: false });
  });

  it('is not cut short by what stops it when its last frame has come', async () => {
    const inner = samePassage(openaiChat).stream(facts);
    const passage: StreamPassage = {
      push: (frame) => ({ ...inner.push(frame), out: frame, last: true }),
      ending: () => null,
      produced: (frame) => inner.produced(frame),
      usage: null,
      promptUsage: null,
      heldBytes: 0,
      complete: true,
    };
    const { pump, send } = setUp({ passage });
    const sending = send(content('all'));
    expect(await pump.opened).toBeNull();
    const caller = new Caller();
    caller.full = new Promise(() => undefined);
    pump.attach(caller);
    await sending;
    pump.stop('timeout');
    expect(await pump.ended).toMatchObject({ end: 'done', isCutShort: false });

    const open = setUp();
    void open.send(content('one')).catch(() => undefined);
    await open.pump.opened;
    open.pump.stop('timeout');
    expect(await open.pump.ended).toMatchObject({ end: 'timeout', isCutShort: true });
  });

  it('goes on to read for no more callers at a time than the gate allows', async () => {
    const drains = new DrainGate(1);
    const first = setUp({ drains });
    const second = setUp({ drains });
    first.left.abort();
    second.left.abort();
    expect(await second.pump.opened).toEqual({ kind: 'left' });
    await second.cancelled;
    expect(drains.open).toBe(1);
    await first.close();
    await first.pump.ended;
    expect(drains.open).toBe(0);
  });

  it('takes an answer for whole that only does not end, where no marker ends it', async () => {
    const { pump, send, cancelled } = setUp({ dialect: gemini, lingerMs: 30 });
    const candidate = { content: { parts: [{ text: 'one' }] }, finishReason: 'STOP' };
    const sending = send(encoder.encode(`data: ${JSON.stringify({ candidates: [candidate] })}\n\n`));
    expect(await pump.opened).toBeNull();
    const caller = new Caller();
    pump.attach(caller);
    await sending;
    expect((await pump.ended).end).toBe('done');
    // What may be the end waits for the settlement.
    expect(caller.got).toBe('');
    await cancelled;
  });

  it('begins early rather than hold more than is held of any', async () => {
    const { pump, send } = setUp();
    const pad = 'x'.repeat(limits.streamHeadBytes / 4);
    const idle = encoder.encode(
      `data: {"id":"c","choices":[{"index":0,"delta":{"content":""}}],"obfuscation":"${pad}"}\n\n`,
    );
    for (let sent = 0; sent < 4; sent++) await send(idle);
    expect(await pump.opened).toBeNull();
    const caller = new Caller();
    const room = Promise.withResolvers<number>();
    caller.full = room.promise;
    pump.attach(caller);
    // Piece by piece, as he reads.
    expect(caller.got.length).toBe(limits.writePieceBytes);
    caller.full = null;
    room.resolve(1);
    await pump.given;
    expect(caller.got.length).toBe(4 * idle.length);
    pump.stop('timeout');
    expect(await pump.ended).toMatchObject({ end: 'timeout', firstContentMs: null });
  });

  it('begins late rather than keep the caller waiting, and then cannot be replaced', async () => {
    const { pump, send } = setUp({ holdMs: 50 });
    await send(ROLE);
    expect(await pump.opened).toBeNull();
    const caller = new Caller();
    pump.attach(caller);
    expect(caller.got).toBe(new TextDecoder().decode(ROLE));
    pump.stop('timeout');
    expect(await pump.ended).toMatchObject({ end: 'timeout', firstContentMs: null });
  });

  it('takes no room for usual frames, and for a large one until its caller has it', async () => {
    const answersHeld = new BodyBudget(16 * MIB);
    const { pump, send, close } = setUp({ answersHeld });
    const sending = send(content('x'.repeat(100 * KIB)));
    await pump.opened;
    const caller = new Caller();
    pump.attach(caller);
    await sending;
    expect(answersHeld.bytes).toBe(0);
    const room = Promise.withResolvers<number>();
    caller.full = room.promise;
    const large = content('y'.repeat(MIB));
    const half = large.length / 2;
    await send(large.slice(0, half));
    // It asks for more only when it has done with this.
    const rest = send(large.slice(half));
    while (!caller.got.includes('y')) await new Promise(setImmediate);
    expect(answersHeld.bytes).toBe(large.length);
    caller.full = null;
    room.resolve(1);
    await rest;
    await send(FINISH);
    expect(answersHeld.bytes).toBe(0);
    await close();
    expect((await pump.ended).end).toBe('done');
    expect(caller.got.match(/y/g)).toHaveLength(MIB);
  });

  it('lets a caller who stands still before a large frame give way, and reads on', async () => {
    const { writeSlowMs } = limits;
    Object.assign(limits, { writeSlowMs: 1 });
    try {
      const answersHeld = new BodyBudget(4 * MIB);
      const { pump, send, drains } = setUp({ answersHeld });
      const sending = send(content('x'.repeat(1.5 * MIB))).catch(() => undefined);
      await pump.opened;
      const caller = new Caller();
      caller.full = new Promise(() => undefined);
      pump.attach(caller);
      while (answersHeld.bytes === 0) await new Promise(setImmediate);
      const other = answersHeld.hold(2);
      for (const end = performance.now() + patience(5_000); ; await Bun.sleep(1)) {
        try {
          other.grow(MIB);
          break;
        } catch (error) {
          if (performance.now() > end) throw error;
        }
      }
      await sending;
      expect([answersHeld.bytes, drains.open]).toEqual([MIB, 1]);
      await send(FINISH);
      pump.stop('timeout');
      expect((await pump.ended).end).toBe('client_gone');
    } finally {
      Object.assign(limits, { writeSlowMs });
    }
  });

  it.each([1, 512])(
    'gives its place to who finds none, before a frame of %i KiB, and is not read on',
    async (kib) => {
      const { readerSlowMs } = limits;
      Object.assign(limits, { readerSlowMs: 1 });
      try {
        const still = Promise.withResolvers<() => void>();
        const standsStill: StandsStill = (end) => {
          still.resolve(end);
          return () => undefined;
        };
        const { pump, send, drains, cancelled } = setUp({ standsStill });
        const caller = new Caller();
        void pump.opened.then(() => pump.attach(caller));
        await send(content('one'));
        caller.full = new Promise(() => undefined);
        const sending = send(content('x'.repeat(kib * KIB))).catch(() => undefined);
        const giveWay = await still.promise;
        // Whoever stands still while nobody is in need loses nothing.
        expect([pump.isBroken, pump.sink]).toEqual([false, caller]);
        giveWay();
        await Promise.all([pump.broken, cancelled, sending]);
        expect(drains.open).toBe(0);
        expect(await pump.ended).toMatchObject({ end: 'client_gone', isCutShort: true });
      } finally {
        Object.assign(limits, { readerSlowMs });
      }
    },
  );

  it.each([
    ['nothing', [ROLE], false, 'others'],
    ['nothing but for its tools', [ROLE], true, 'gave-way'],
    ['something', [ROLE, content('one')], false, 'gave-way'],
  ] as const)('of which %s has come gives its place, begun or not', async (...of) => {
    const [, said, mayHaveTold, why] = of;
    for (const holdMs of [1, 60_000]) {
      const { pump, send } = setUp({ holdMs, mayHaveTold });
      void pump.opened.then((failure) => failure ?? pump.attach(new Caller()));
      for (const frame of said) await send(frame);
      if (holdMs === 1) await pump.opened;
      pump.giveWay();
      const isCutShort = why !== 'others';
      expect(await pump.ended).toMatchObject({ end: 'no_room', isCutShort, refused: { why } });
    }
  });

  it.each([
    ['the reader', ['reader', 'upstream']],
    ['the upstream', ['upstream', 'reader']],
  ] as const)(
    'whose reader is waited for is his who does not read, though %s is told first',
    async (_, order) => {
      const told: (() => void)[] = [];
      const standsStill: StandsStill = (end) => {
        told.push(end);
        return () => undefined;
      };
      const { readerSlowMs } = limits;
      Object.assign(limits, { readerSlowMs: 1 });
      try {
        const { pump, send } = setUp({ holdMs: 1, standsStill });
        void send(ROLE).catch(() => undefined);
        await pump.opened;
        const caller = new Caller();
        caller.full = new Promise(() => undefined);
        pump.attach(caller);
        void send(ROLE).catch(() => undefined);
        while (told.length === 0) await new Promise(setImmediate);
        const ends = { reader: () => told[0]?.(), upstream: () => pump.giveWay() };
        for (const who of order) ends[who]();
        expect(await pump.ended).toMatchObject({ end: 'client_gone', refused: null, isCutShort: true });
        expect(pump.isBroken).toBe(true);
      } finally {
        Object.assign(limits, { readerSlowMs });
      }
    },
  );

  it('does not wait for its upstream while its reader takes what has come', async () => {
    const { pump, send, deadlines } = setUp();
    const turns = async () => {
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    };
    void send(content('x'.repeat(300 * KIB))).catch(() => undefined);
    await pump.opened;
    const caller = new Caller();
    const came = spyOn(deadlines, 'came');
    pump.attach(caller);
    // It asks for more only when he has all of it, piece by piece.
    await send(ROLE);
    const pieces = came.mock.calls.length;
    expect(pieces).toBeGreaterThanOrEqual((300 * KIB) / limits.writePieceBytes);
    caller.full = new Promise(() => undefined);
    void send(content('two')).catch(() => undefined);
    await turns();
    // As content, and as what is waited for.
    expect(came.mock.calls.length).toBe(pieces + 2);
    pump.stop('client_gone');
  });

  it('that has said all ends well where its place is another’s, though its upstream does not close', async () => {
    const { pump, send, cancelled } = setUp();
    const caller = new Caller();
    void pump.opened.then(() => pump.attach(caller));
    await send(content('all'));
    await send(FINISH);
    // It asks for the next piece only when it has done with this one.
    await send(encoder.encode(': at work\n\n'));
    pump.giveWay();
    await cancelled;
    expect(await pump.ended).toMatchObject({ end: 'done', isCutShort: false, refused: null });
  });

  it('lets its upstream go at once for want of room, whoever stands still before its head', async () => {
    const { pump, send, cancelled } = setUp({ answersHeld: new BodyBudget(4 * MIB), holdMs: 1 });
    const pad = 'x'.repeat(300 * KIB);
    const head = `data: {"id":"c","choices":[{"index":0,"delta":{"content":""}}],"obfuscation":"${pad}"}\n\n`;
    await send(encoder.encode(head));
    expect(await pump.opened).toBeNull();
    const caller = new Caller();
    caller.full = new Promise(() => undefined);
    pump.attach(caller);
    await send(encoder.encode(`data: ${'y'.repeat(2 * MIB)}`)).catch(() => undefined);
    await cancelled;
    pump.leave();
    expect(await pump.ended).toMatchObject({ end: 'no_room', refused: { why: 'own-share' } });
    // He has half of it.
    expect(pump.isBroken).toBe(true);
  });

  it('ends for want of room though its caller goes at the same time', async () => {
    const { pump, send, cancelled } = setUp({ answersHeld: new BodyBudget(KIB) });
    const caller = new Caller();
    const writing = Promise.withResolvers<number>();
    void pump.opened.then(() => pump.attach(caller));
    await send(content('one'));
    caller.full = writing.promise;
    await send(Buffer.concat(Array.from({ length: 4 }, () => content('x'.repeat(100 * KIB)))));
    await cancelled;
    // Nobody waits for it any more.
    writing.reject(new Error('the caller has gone'));
    expect(await pump.ended).toMatchObject({ end: 'no_room' });
  });

  it.each([
    ['what its caller may hold', 'own-share', 0, MIB],
    ['what others leave', 'others', 0.75 * MIB, 0.5 * MIB],
    ['any bound', 'too-large', 0, 0.5 * MIB],
  ] as const)('ends for want of room, with a frame beyond %s', async (_, why, taken, bytes) => {
    const answersHeld = new BodyBudget(1.5 * MIB);
    answersHeld.hold(2).grow(taken);
    const frame = content('x'.repeat(bytes));
    for (const before of [[], [content('one')]]) {
      const splitter = why === 'too-large' ? new JsonSplitter(bytes) : undefined;
      const { pump, send, cancelled } = setUp({ answersHeld, splitter });
      const caller = new Caller();
      void pump.opened.then((failure) => failure ?? pump.attach(caller));
      for (const each of before) await send(each);
      // Not whole yet.
      await send(frame.subarray(0, -4)).catch(() => undefined);
      if (before.length === 0) expect(await pump.opened).toMatchObject({ kind: 'no-room', refused: { why } });
      const isCutShort = why !== 'others';
      expect(await pump.ended).toMatchObject({ end: 'no_room', isCutShort, refused: { why } });
      await cancelled;
    }
  });
});
