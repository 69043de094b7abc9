/** Rows for lists that few calls or none of this process fill: a site that is lived in has them, and one that is measured. */
import type { JsonObject } from '../../src/core/json.ts';
import type { Database } from '../../src/db/client.ts';
import { createOrder } from '../../src/modules/payment/orders.ts';
import { SONGS } from './suno-server.ts';

/** A call by an administrator, which must succeed. */
type Post = (path: string, body: JsonObject) => Promise<unknown>;

/** What administrators keep beside channels, users and codes. */
export async function fillDesk(post: Post): Promise<void> {
  for (const name of ['Spring', 'Built with us'])
    await post('/api/activity/', { name, desc: 'Say it.', quota: 500_000 });
  await post('/api/oauth_app/admin/', {
    name: 'Notes',
    redirect_uris: ['https://notes.example/callback'],
    scopes: ['profile', 'balance'],
    confidential: true,
  });
  for (const [n, name] of ['DeepSeek', 'Anthropic'].entries())
    await post('/api/supplier/admin/', { name, base_url: `https://api${n}.example/v1` });
  for (const [n, title] of ['A letter to the bank', 'Trip to Lisbon'].entries())
    await post('/api/prompt/suggest', {
      title,
      instruction: 'Plan three days.',
      facets: [{ path: 'demo/letter.docx' }],
      tags: ['travel'],
      sort: n,
      release: n === 0,
    });
  await post('/api/ai-role/admin/', { role_name: 'Clerk', role: '{"seed": 1}', type: 'own', quota: 9 });
  await post('/api/application/admin/', {
    name: 'maps',
    display_name: 'Maps',
    version: '1.0.0',
    dxt_url: 'https://files.example/app.dxt',
    description: 'Shows where things are.',
    homepage: 'https://maps.example/about',
    app_groups: ['default'],
    rank: 1,
  });
}

/** Two that are not paid yet. */
export function openOrders(db: Database, userId: number): Promise<{ id: number }[]> {
  const quote = { quota: 500_000, money: 730n, fullMoney: 730n, currency: 'CNY', places: 2, code: '' };
  const order = { userId, provider: 'epay', method: 'alipay', quote: { ...quote, codeLimit: null } };
  return Promise.all([1, 2].map(() => createOrder({ db }, order)));
}

/** A song, a film and a drawing that are done, and one of each that is not. */
export async function fillTasks(db: Database, userId: number, picture: string): Promise<void> {
  const now = Date.now();
  const kinds = [
    {
      platform: 'suno',
      action: 'MUSIC',
      model_name: 'suno_music',
      input: { input: 'a song of rain' },
      data: SONGS,
    },
    {
      platform: 'video',
      action: 'VIDEO',
      model_name: 'veo-3.1',
      input: { prompt: 'a cat on a roof' },
      data: {},
    },
    {
      platform: 'mj',
      action: 'IMAGINE',
      model_name: 'mj_imagine',
      input: { prompt: 'a drawing of rain', state: '', code: 1 },
      data: { imageUrl: picture, promptEn: 'a drawing of rain' },
    },
  ];
  const states = [
    { status: 'SUCCESS', progress: 100, finish_time: now - 60_000, fail_reason: '', fail_code: '' },
    { status: 'FAILURE', progress: 10, finish_time: now - 60_000, fail_reason: 'no', fail_code: 'timeout' },
  ];
  const all = kinds.flatMap((kind) => states.map((state) => ({ ...kind, ...state })));
  for (const task of all) {
    const public_id = Bun.randomUUIDv7().replaceAll('-', '');
    const row = {
      ...{ public_id, upstream_id: public_id, request_id: crypto.randomUUID(), user_id: userId, token_id: 0 },
      ...{ channel_id: 1, quota: 50_000, poll_at: 9_000_000_000, submit_time: now - 90_000, start_time: 0 },
      ...{ refund: 0, refunded: 0, hook: '', hook_tries: 0, hook_at: 0, polls: 0, updated_at: 1 },
      ...task,
    };
    const names = Object.keys(row);
    await db.query(
      `insert into tasks (${names}) select ${names} from jsonb_populate_record(null::tasks, $1::text::jsonb)`,
      [JSON.stringify(row)],
    );
  }
}
