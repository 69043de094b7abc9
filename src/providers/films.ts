/** What the records of vendors that make films in words of their own have in common. */
import type { Json } from '../core/json.ts';
import type { TaskNews } from '../core/tasks.ts';
import { DAY_SEC, nowSec } from '../core/time.ts';
import { refuse } from '../dialects/bounds.ts';
import { objectOf, textOf } from '../dialects/fields.ts';
import { type AskedFilm, askedFilm } from '../dialects/plain/openai-videos.ts';
import type { CallForm, FileWire, UpstreamCall } from './provider.ts';
import { dataUrlOf, jsonPayload, type VendorOperation } from './vendor-operation.ts';

/** A vendor's own call for films. */
export const filmOperation = (
  own: Pick<VendorOperation, 'path' | 'finish'> & {
    write(
      film: AskedFilm,
      call: Pick<UpstreamCall, 'model'>,
    ): ReturnType<NonNullable<VendorOperation['write']>>;
  },
): VendorOperation => ({
  path: own.path,
  write: (asked, call) => own.write(askedFilm(asked), call),
  upload: async (call, form) => jsonPayload(own.write(askedFilm(call.asked, await pictureOf(form)), call)),
  finish: own.finish,
});

export async function pictureOf(form: CallForm): Promise<string | null> {
  const [file] = form.files;
  return file ? dataUrlOf(file, form) : null;
}

type Size = NonNullable<AskedFilm['size']>;

/** Of these ratios, the size's; OpenAI's tall and wide sizes of 1024 by 1792 are nearly 9:16. Throws `invalid_request`. */
export function ratioOf({ width, height }: Size, ratios: readonly string[]): string {
  const found = ratios.find((ratio) => {
    const [w = 1, h = 1] = ratio.split(':').map(Number);
    return Math.abs(width / height / (w / h) - 1) < 0.02;
  });
  if (found !== undefined) return found;
  throw refuse('size', {
    zh: `此模型的渠道只接受以下宽高比：${ratios.join('、')}`,
    en: `channels of this model make these ratios only: ${ratios.join(', ')}`,
  });
}

/** Of these heights, that of the size's shorter side. Throws `invalid_request`. */
export function linesOf({ width, height }: Size, lines: readonly number[]): number {
  const shorter = Math.min(width, height);
  if (lines.includes(shorter)) return shorter;
  throw refuse('size', {
    zh: `此模型的渠道只接受短边为以下像素数的尺寸：${lines.join('、')}`,
    en: `channels of this model make films whose shorter side has one of these pixels: ${lines.join(', ')}`,
  });
}

/** The news of one film. */
export const filmNews = (
  id: string,
  news: Pick<TaskNews, 'status'> & Partial<Omit<TaskNews, 'id' | 'status'>>,
): TaskNews[] => [{ id, progress: null, failReason: '', startTime: 0, finishTime: 0, data: null, ...news }];

/** What came out: where its file is, which its upstream keeps for so many days. */
export const filmAt = (url: string, days: number | null): Json => ({
  url,
  expires_at: days === null ? 0 : nowSec() + days * DAY_SEC,
});

export const urlIn = (data: Json): string => textOf(objectOf(data)?.url) ?? '';

/** A file at an address that the answer named, which is none of the channel's own: no key goes there. */
export const atItsAddress: FileWire = {
  async open(_channel, { data }, ask) {
    const url = urlIn(data);
    return url === '' ? null : ask({ method: 'GET', url, headers: {} }, true);
  },
};
