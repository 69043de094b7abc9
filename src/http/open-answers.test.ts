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
  expect(await fill(answers, '192.0.2.1')).toHaveLength(1);
  expect(stopped).toEqual(['one']);
  expect(answers.underWay).toBe(ofOne.length + 1);
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
