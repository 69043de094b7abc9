/** Services that make music with Suno behind them: no chat, only tasks. */

import type { JsonObject } from '../core/json.ts';
import { isTaskOver, readTaskStatus, type TaskNews } from '../core/tasks.ts';
import { numberOf, objectOf, objectsOf, textOf } from '../dialects/fields.ts';
import { sunoLyrics, sunoMusic } from '../dialects/plain/suno.ts';
import { bearer } from './openai-compatible.ts';
import type { ChannelAccess, FileWire, Provider, UpstreamRequest } from './provider.ts';

const request = ({ baseUrl, key }: ChannelAccess, path: string): UpstreamRequest => ({
  method: 'POST',
  url: `${baseUrl}/suno/${path}`,
  headers: { 'content-type': 'application/json', accept: 'application/json', ...bearer(key) },
});

/** Services tell times in seconds. */
const millis = (value: unknown): number => Math.max(Math.round((numberOf(value) ?? 0) * 1000), 0);

/** `45%`, or a number. */
function percent(value: unknown): number | null {
  const number = typeof value === 'string' ? Number.parseInt(value, 10) : numberOf(value);
  return number === undefined || Number.isNaN(number) ? null : Math.min(Math.max(Math.round(number), 0), 100);
}

function newsOf(task: JsonObject): TaskNews[] {
  const id = textOf(task.task_id);
  if (!id) return [];
  const failReason = textOf(task.fail_reason) ?? '';
  const { status: known, fault } = readTaskStatus(task.status);
  // Some say why without saying that.
  const status = failReason !== '' && !isTaskOver(known) ? 'FAILURE' : known;
  return [
    {
      id,
      status,
      progress: percent(task.progress),
      failReason: status === 'FAILURE' ? failReason : '',
      ...(fault && { fault }),
      startTime: millis(task.start_time),
      finishTime: millis(task.finish_time),
      data: task.data === undefined || task.data === '' ? null : task.data,
    },
  ];
}

/** Songs lie at addresses that the answer named, which are none of the channel's own: no key goes there. */
const songs: FileWire = {
  variants: ['audio'],
  async open(_channel, { data, variant, piece }, ask) {
    const song = objectOf((Array.isArray(data) ? data : [data])[piece]);
    const url = textOf(variant === 'audio' ? song?.audio_url : song?.video_url) ?? '';
    return url === '' ? null : ask({ method: 'GET', url, headers: {} }, true);
  },
};

export const suno: Provider = {
  type: 36,
  slug: 'suno',
  label: 'Suno API',
  baseUrl: null,
  speaks: { task: [sunoMusic, sunoLyrics] },
  streamUsage: false,
  form: {
    keyHint: 'sk-…',
    baseUrl: 'required',
    baseUrlHint: 'https://suno.example.com',
    notice: {
      zh: '这不是聊天接口。地址填写 /suno 之前的部分，通常只是域名。',
      en: 'This is no chat API. The address is what stands before /suno, usually just the host.',
    },
  },
  models: ['suno_music', 'suno_lyrics'],
  prepare: ({ channel, dialect }) =>
    request(channel, `submit/${dialect === sunoLyrics ? 'LYRICS' : 'MUSIC'}`),
  tasks: {
    words: ['error_message'],
    ask: (channel, ids) => ({ ...request(channel, 'fetch'), body: JSON.stringify({ ids }) }),
    read(body) {
      const answer = objectOf(body);
      return answer?.code === 'success' ? objectsOf(answer.data).flatMap(newsOf) : null;
    },
    file: songs,
  },
};
