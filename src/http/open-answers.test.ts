import { expect, it } from 'bun:test';
import { type AnswerPlace, OpenAnswers } from './open-answers.ts';

const overloaded = expect.objectContaining({ code: 'OVERLOADED' });

/** Takes places of an address as long as there are any. */
async function fill(answers: OpenAnswers, ip: string, own: string | null = null): Promise<AnswerPlace[]> {
  const taken: AnswerPlace[] = [];
  for (;;) {
    const place = answers.placeFor(new Request('http://localhost/'), ip, async () => own);
    try {
      await place.take();
    } catch (error) {
      expect(error).toEqual(overloaded);
      return taken;
    }
    taken.push(place);
  }
}

it('gives places of those whose readers stand still to who finds none, the longest first, and of his network', async () => {
  const answers = new OpenAnswers(800);
  const stopped: string[] = [];
  const standStill = (place: AnswerPlace | undefined, who: string) =>
    place?.standsStill(() => stopped.push(who), performance.now());
  const other = answers.placeFor(new Request('http://localhost/'), '192.0.2.2', async () => null);
  await other.take();
  const ofOne = await fill(answers, '192.0.2.1');
  standStill(other, 'other');
  const goesOn = standStill(ofOne[0], 'goes on');
  standStill(ofOne[1], 'one');
  goesOn?.();
  // One of those that the other leaves who stands still, and one of his own.
  expect(await fill(answers, '192.0.2.1')).toHaveLength(2);
  expect(stopped).toEqual(['one']);
  expect(answers.underWay).toBe(ofOne.length + 2);
});

const takeAs = async (answers: OpenAnswers, ip: string, own: string | null = null): Promise<AnswerPlace> => {
  const place = answers.placeFor(new Request('http://localhost/'), ip, async () => own);
  await place.take();
  return place;
};

it.each([0, 10, 60])(
  'gives one place for one of an office’s hundred, of which %i stand still',
  async (still) => {
    const answers = new OpenAnswers(2048);
    const stopped: number[] = [];
    for (let n = 0; n < 100; n++) {
      const { standsStill } = await takeAs(answers, '192.0.2.1');
      if (n < still) standsStill(() => stopped.push(n), n);
    }
    for (let n = 0; answers.underWay < 223; n++) {
      await takeAs(answers, `198.51.${n % 250}.${n % 199}`).catch(() => undefined);
    }
    const next = takeAs(answers, '192.0.2.1');
    if (still === 0) expect(await next.catch((error: unknown) => error)).toEqual(overloaded);
    else await next;
    expect([stopped, answers.underWay]).toEqual([still === 0 ? [] : [0], 223]);
  },
);

it('has who is known take of his own share before a neighbour gives way', async () => {
  const answers = new OpenAnswers(800);
  const stopped: string[] = [];
  const ofOne = await fill(answers, '192.0.2.1');
  ofOne[0]?.standsStill(() => stopped.push('neighbour'), 0);
  const own = await fill(answers, '192.0.2.1', 'user 1');
  // All of his own, and then the neighbour's.
  expect(own.length).toBeGreaterThan(1);
  expect(stopped).toEqual(['neighbour']);
  for (const place of own) place.leave();
  stopped.splice(0);
  ofOne[1]?.standsStill(() => stopped.push('neighbour'), 0);
  await takeAs(answers, '192.0.2.1', 'user 1');
  expect(stopped).toEqual([]);
});

it('gives places of who is known to those alone who are', async () => {
  const answers = new OpenAnswers(800);
  const stopped: string[] = [];
  await fill(answers, '192.0.2.1');
  const [known] = await fill(answers, '192.0.2.1', 'user 1');
  known?.standsStill(() => stopped.push('known'), performance.now());
  expect(await fill(answers, '192.0.2.1')).toEqual([]);
  expect(stopped).toEqual([]);
  expect(await fill(answers, '192.0.2.1', 'user 1')).toHaveLength(1);
  expect(stopped).toEqual(['known']);
});
