/** Proxies that draw with Midjourney behind them: no chat, only tasks. The newer kind (Plus) takes more of them. */
import type { Json, JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { readTaskStatus, type TaskNews } from '../core/tasks.ts';
import { numberOf, objectOf, objectsOf, textOf } from '../dialects/fields.ts';
import { type DrawingDialect, drawingCalls, plusCalls } from '../dialects/plain/midjourney.ts';
import type { ChannelAccess, FileWire, Provider, TaskWire, UpstreamRequest } from './provider.ts';

const request = (
  { baseUrl, key }: ChannelAccess,
  path: string,
  method: 'GET' | 'POST' = 'POST',
): UpstreamRequest => ({
  method,
  url: `${baseUrl}/mj${path}`,
  headers: { 'content-type': 'application/json', accept: 'application/json', 'mj-api-secret': key },
});

function percent(value: unknown): number | null {
  const number = Number.parseInt(textOf(value) ?? '', 10);
  return Number.isNaN(number) ? null : Math.min(Math.max(number, 0), 100);
}

const millis = (value: unknown): number => Math.max(Math.round(numberOf(value) ?? 0), 0);

const shownText = (value: unknown): string => (textOf(value) ?? '').slice(0, limits.taskTextChars);

/**
 * Where its films lie: a list of addresses, or of objects that hold one. An address alone is one of the list, by a name of
 * its own at some proxies, or all there is.
 */
function filmsIn({ videoUrl, videoUrls }: JsonObject): string[] {
  const listed = (Array.isArray(videoUrls) ? videoUrls : []).flatMap(
    (one) => textOf(objectOf(one)?.url ?? one) || [],
  );
  const told = listed.length > 0 ? listed : [textOf(videoUrl) || []].flat();
  return [...new Set(told)].slice(0, FILMS_MOST);
}

/** More than any proxy makes at once. */
const FILMS_MOST = 8;

/** Films lie at addresses that the answer named, which are none of the channel's own: no key goes there. */
const films: FileWire = {
  async open(_channel, { data, piece }, ask) {
    const addresses = objectOf(data)?.videoUrls;
    const url = textOf(Array.isArray(addresses) ? addresses[piece] : undefined) ?? '';
    return url === '' ? null : ask({ method: 'GET', url, headers: {} }, true);
  },
};

/** Of what a proxy tells of a task, what its owner may see. */
const shown = (task: JsonObject): Json => {
  const { finalPrompt, finalZhPrompt } = objectOf(task.properties) ?? {};
  const films = filmsIn(task);
  return {
    imageUrl: textOf(task.imageUrl) ?? '',
    ...(films.length > 0 && { videoUrls: films }),
    promptEn: shownText(task.promptEn),
    description: shownText(task.description),
    buttons: objectsOf(task.buttons).map(({ customId, emoji, label, type, style }) => ({
      customId: customId ?? '',
      emoji: emoji ?? '',
      label: label ?? '',
      type: type ?? 0,
      style: style ?? 0,
    })),
    properties: { finalPrompt: shownText(finalPrompt), finalZhPrompt: shownText(finalZhPrompt) },
  };
};

function newsOf(task: JsonObject): TaskNews[] {
  const id = textOf(task.id);
  if (!id) return [];
  const { status, fault } = readTaskStatus(task.status);
  return [
    {
      id,
      status,
      progress: percent(task.progress),
      failReason: status === 'FAILURE' ? (textOf(task.failReason) ?? '') : '',
      ...(fault && { fault }),
      startTime: millis(task.startTime),
      finishTime: millis(task.finishTime),
      data: shown(task),
    },
  ];
}

const tasks: TaskWire = {
  words: ['description'],
  ask: (channel, ids) => ({ ...request(channel, '/task/list-by-condition'), body: JSON.stringify({ ids }) }),
  read: (body) => (Array.isArray(body) ? objectsOf(body).flatMap(newsOf) : null),
  file: films,
  seed: {
    ask: (channel, id) => request(channel, `/task/${encodeURIComponent(id)}/image-seed`, 'GET'),
    read(body) {
      const { code, result } = objectOf(body) ?? {};
      const seed = typeof result === 'number' ? String(result) : textOf(result);
      return code === 1 && seed !== undefined && /^\d{1,20}$/.test(seed) ? seed : null;
    },
  },
};

const calls: readonly DrawingDialect[] = [...drawingCalls, ...plusCalls];

const proxy = (own: Pick<Provider, 'type' | 'slug' | 'label' | 'models' | 'speaks'>): Provider => ({
  ...own,
  baseUrl: null,
  streamUsage: false,
  form: {
    keyHint: 'mj-api-secret',
    baseUrl: 'required',
    baseUrlHint: 'https://midjourney.example.com',
    notice: {
      zh: '这不是聊天接口。地址填写 /mj 之前的部分，通常只是域名。',
      en: 'This is no chat API. The address is what stands before /mj, usually just the host.',
    },
  },
  prepare: ({ channel, dialect }) => request(channel, calls.find((one) => one === dialect)?.path ?? ''),
  tasks,
});

export const midjourney = proxy({
  type: 2,
  slug: 'midjourney',
  label: 'Midjourney Proxy',
  speaks: { task: drawingCalls },
  models: ['mj_imagine', 'mj_variation', 'mj_reroll', 'mj_blend', 'mj_upscale', 'mj_describe', 'mj_uploads'],
});

export const midjourneyPlus = proxy({
  type: 5,
  slug: 'midjourney-plus',
  label: 'Midjourney Proxy Plus',
  speaks: { task: calls },
  models: [
    ...[
      'swap_face',
      'mj_imagine',
      'mj_variation',
      'mj_reroll',
      'mj_blend',
      'mj_upscale',
      'mj_describe',
      'mj_zoom',
    ],
    ...[
      'mj_shorten',
      'mj_modal',
      'mj_inpaint',
      'mj_custom_zoom',
      'mj_high_variation',
      'mj_low_variation',
      'mj_pan',
    ],
    ...['mj_uploads', 'mj_edits', 'mj_video'],
  ],
});
