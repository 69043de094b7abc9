/** A drawing, in words. */
import { parseJson } from '@core/json.ts';
import { own } from '@core/own.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';

export type Drawing = DataOf<'get', '/api/mj/self'>['items'][number];

const ACTIONS = {
  IMAGINE: 'drawing.action.IMAGINE',
  UPSCALE: 'drawing.action.UPSCALE',
  VARIATION: 'drawing.action.VARIATION',
  HIGH_VARIATION: 'drawing.action.HIGH_VARIATION',
  LOW_VARIATION: 'drawing.action.LOW_VARIATION',
  PAN: 'drawing.action.PAN',
  DESCRIBE: 'drawing.action.DESCRIBE',
  BLEND: 'drawing.action.BLEND',
  UPLOAD: 'drawing.action.UPLOAD',
  SHORTEN: 'drawing.action.SHORTEN',
  REROLL: 'drawing.action.REROLL',
  INPAINT: 'drawing.action.INPAINT',
  ZOOM: 'drawing.action.ZOOM',
  CUSTOM_ZOOM: 'drawing.action.CUSTOM_ZOOM',
  MODAL: 'drawing.action.MODAL',
  SWAP_FACE: 'drawing.action.SWAP_FACE',
  EDITS: 'drawing.action.EDITS',
  VIDEO: 'drawing.action.VIDEO',
} as const;

export function actionText(action: string, t: TFunction): string {
  const key = own(ACTIONS, action);
  return key ? t(key) : action;
}

const CODES = {
  0: 'drawing.code.0',
  1: 'drawing.code.1',
  21: 'drawing.code.21',
  22: 'drawing.code.22',
} as const;

export function codeText(code: number, t: TFunction): string {
  const key = own(CODES, String(code));
  return key ? t(key) : t('app.unknown');
}

/** Pictures come from here, whoever drew them: pages load nothing from elsewhere. */
export const pictureOf = ({ image_url, mj_id }: Drawing): string | null =>
  image_url === '' ? null : `/mj/image/${mj_id}`;

/** Films too. */
export function filmsOf({ video_urls, mj_id }: Drawing): string[] {
  const addresses = parseJson(video_urls);
  return Array.isArray(addresses) ? addresses.map((_, piece) => `/mj/video/${mj_id}?piece=${piece}`) : [];
}

export const altOf = ({ prompt }: Drawing, t: TFunction): string => prompt || t('drawing.untold');
