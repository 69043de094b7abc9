/** What a request names and nobody made is not found, however often it is asked for: that says nothing of the channel. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
let model: string;
beforeAll(async () => {
  t = await openOperations();
  model = await t.model(1, { named: 'thinks' });
  await t.model(1, { named: 'thinks' });
  await t.relay.setBalance(50_000_000);
  await t.relay.set({ RetryTimes: 2 });
});
afterAll(() => t.close());

const breakers = () => t.relay.api.deps.relay.breakers;
const ask = () =>
  t.post('/v1/responses', {
    model,
    input: [
      { type: 'reasoning', id: 'rs_00', summary: [] },
      { role: 'user', content: 'Go on.' },
    ],
  });
const notFound = (param: string | null) => () =>
  Response.json(
    {
      error: {
        message: "Item with id 'rs_00' not found. Items are not persisted when `store` is set to false.",
        type: 'invalid_request_error',
        param,
        code: null,
      },
    },
    { status: 404 },
  );

it('is told to who asked, of whom alone it is the fault, and is asked for once more without it', async () => {
  t.answers(notFound('input'));
  const asked = t.seen.length;
  for (let n = 0; n < 6; n++) {
    const answer = await ask();
    expect([answer.status, (await answer.json()).error.param]).toEqual([404, 'input']);
  }
  const bringing = t.seen.slice(asked).filter(({ body }) => JSON.stringify(body).includes('rs_00'));
  expect([bringing.length, t.seen.length - asked, breakers().isEmpty]).toEqual([6, 12, true]);
});

it('is nobody’s fault where the field is not named, either', async () => {
  t.answers(notFound(null));
  for (let n = 0; n < 6; n++) await (await ask()).text();
  expect(breakers().isEmpty).toBe(true);
});

it('is told from a model that the channel does not have', async () => {
  t.answers(() =>
    Response.json(
      { error: { message: 'The model does not exist.', param: 'model', code: 'model_not_found' } },
      { status: 404 },
    ),
  );
  expect((await t.post('/v1/responses', { model, input: 'Go on.' })).status).toBe(502);
  expect(breakers().isEmpty).toBe(false);
});
