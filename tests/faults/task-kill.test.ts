/**
 * The process is killed while a task is being submitted, and again in the middle of a refund. Afterwards nothing is held,
 * what was never told to its caller costs nothing, what failed was given back once, and what was under way goes on.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { engines, freshPostgresUrl } from '../support/database.ts';
import { DRAWING_KEY, type DrawingServer, startDrawing } from '../support/drawing-server.ts';
import { ConsoleClient, type Gateway, ROOT, setUp, startGateway } from '../support/gateway.ts';
import { isLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { DONE, FAILED, SUNO_KEY, type SunoServer, startSuno } from '../support/suno-server.ts';
import { FILM, startVideos, type VideoServer } from '../support/video-server.ts';

const MUSIC = 50_000;
const DRAWING = 50_000;

let suno: SunoServer;
let drawings: DrawingServer;
let videos: VideoServer;
beforeAll(() => {
  suno = startSuno();
  drawings = startDrawing();
  videos = startVideos();
});
afterAll(async () => {
  await suno.close();
  await drawings.close();
  await videos.close();
});

const submit = (gateway: Gateway, key: string): Promise<Response> =>
  fetch(`${gateway.base}/suno/submit/music`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ prompt: 'rain' }),
  });
const taken = async (gateway: Gateway, key: string): Promise<string> =>
  (await (await submit(gateway, key)).json()).data;
const drawn = async (gateway: Gateway, key: string): Promise<string> => {
  const answer = await fetch(`${gateway.base}/mj/submit/imagine`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'mj-api-secret': key },
    body: JSON.stringify({ prompt: 'rain' }),
  });
  return (await answer.json()).result;
};

/**
 * The next process on the same data once this one has died. The lease of who asked after tasks would run on for a quarter of
 * a minute, which proves nothing.
 */
async function next(dead: Gateway, killAt: string): Promise<Gateway> {
  await dead.exited;
  await dead.withDatabase((db) => db.query(`delete from leases where name = 'tasks'`));
  return dead.restart({ TOLLGATE_KILL_AT: killAt });
}

// The start on PGlite takes half a minute; the engine's commit is proven beside it.
const ENGINES = isLong ? engines : engines.filter((engine) => engine === 'postgres');
describe.each(ENGINES)('a gateway on %s that is killed among its tasks', (engine) => {
  it(
    'charges and gives back each of them once',
    async () => {
      const databaseUrl = engine === 'postgres' ? await freshPostgresUrl() : '';
      const first = await startGateway({ databaseUrl, env: { TOLLGATE_KILL_AT: 'request_written:1' } });
      const root = await setUp(first);
      await root.addChannel(suno.base, { type: 36, key: SUNO_KEY, models: 'suno_music' });
      await root.addChannel(drawings.base, { type: 2, key: DRAWING_KEY, models: 'mj_imagine' });
      const key = await root.addToken();
      const before = await root.get('/api/user/self');
      await expect(submit(first, key)).rejects.toThrow();
      const second = await next(first, 'in_movement_commit:1');
      const [failing, going] = [await taken(second, key), await taken(second, key)];
      const drawing = await drawn(second, key);
      drawings.news = { status: 'FAILURE', failReason: 'banned prompt' };
      suno.tell(FAILED, `vendor-${suno.submitted.length - 1}`);
      const third = await next(second, '');
      suno.tell(DONE, `vendor-${suno.submitted.length}`);
      const again = await new ConsoleClient(third.base).login(ROOT.username, ROOT.password);
      const rows = async (): Promise<JsonObject[]> =>
        (await Promise.all([again.get('/api/task/?brief=true'), again.get('/api/mj/')])).flatMap(
          ({ items }) => items,
        );
      const isOver = ({ status }: JsonObject) => status === 'SUCCESS' || status === 'FAILURE';
      const isRefunded = ({ refunded }: JsonObject) => Number(refunded) > 0;
      let seen = await rows();
      while (!seen.every(isOver) || seen.filter(isRefunded).length < 2) {
        await Bun.sleep(100);
        seen = await rows();
      }
      const rowOf = (id: unknown) => seen.find(({ task_id, mj_id }) => (task_id ?? mj_id) === id);
      expect(seen).toHaveLength(4);
      expect(rowOf(failing)).toMatchObject({
        status: 'FAILURE',
        refunded: MUSIC,
        fail_reason: 'no such style',
      });
      expect(rowOf(going)).toMatchObject({ status: 'SUCCESS', refunded: 0 });
      expect(rowOf(drawing)).toMatchObject({
        status: 'FAILURE',
        refunded: DRAWING,
        fail_reason: 'banned prompt',
      });
      const interrupted = seen.find(({ task_id }) => task_id && task_id !== failing && task_id !== going);
      expect(interrupted).toMatchObject({ status: 'FAILURE', refunded: 0 });
      const self = await again.get('/api/user/self');
      expect([before.quota - self.quota, self.used_quota]).toEqual([MUSIC, MUSIC]);
      await third.stop();
      expect((await third.audit()).findings).toEqual([]);
    },
    patience(180_000),
  );
});

it(
  'charges a film that its upstream had taken when the gateway was killed, and shows it',
  async () => {
    const databaseUrl = await freshPostgresUrl();
    const first = await startGateway({ databaseUrl, env: { TOLLGATE_KILL_AT: 'task_taken:1' } });
    const root = await setUp(first);
    await root.addChannel(videos.base, { type: 1, key: 'sk-films', models: 'sora-2' });
    await root.put('/api/option/', { key: 'VideoPrice', value: '{"sora-2":{"per_second":0.01}}' });
    const key = await root.addToken();
    const before = await root.get('/api/user/self');
    const call = (gateway: Gateway, path: string, body?: JsonObject) =>
      fetch(`${gateway.base}/v1/videos${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        ...(body && { body: JSON.stringify(body) }),
      });
    await expect(call(first, '', { model: 'sora-2', prompt: 'a cat', seconds: '8' })).rejects.toThrow();
    videos.state = 'done';
    const second = await next(first, '');
    const again = await new ConsoleClient(second.base).login(ROOT.username, ROOT.password);
    const listed = async (): Promise<JsonObject[]> => (await (await call(second, '')).json()).data;
    const spent = async () => before.quota - (await again.get('/api/user/self')).quota;
    while ((await listed())[0]?.status !== 'completed' || (await spent()) === 0) await Bun.sleep(100);
    const films = await listed();
    expect(films).toHaveLength(1);
    const file = await call(second, `/${films[0]?.id}/content`);
    expect(Buffer.from(await file.arrayBuffer()).equals(FILM)).toBe(true);
    expect(await spent()).toBe(40_000);
    await second.stop();
    expect((await second.audit()).findings).toEqual([]);
  },
  patience(180_000),
);
