/** Drawings, as clients of drawing proxies know them: their times are milliseconds, and their pictures come from here. */
import type { Json, JsonObject } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import { failText } from '../../core/tasks.ts';
import type { Text } from '../../core/text.ts';
import type { TaskRow } from './rows.ts';

/** Where pictures are shown to be. */
export interface PicturePlace {
  /** They are served from this site and not by the upstream's address. */
  forwards: boolean;
  /** Of this site; empty where nobody set it. */
  address: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const dataOf = ({ data }: Pick<TaskRow, 'data'>): JsonObject => (isObject(data) ? (data as JsonObject) : {});

/** The upstream's address of a picture; empty while there is none. */
export const pictureOf = (row: Pick<TaskRow, 'data'>): string => textOf(dataOf(row).imageUrl);

/** What its owner is told where the picture is. While it is being drawn it changes, and so does its address. */
export function pictureAddress(row: TaskRow, { forwards, address }: PicturePlace): string {
  const picture = pictureOf(row);
  if (picture === '' || !forwards) return picture;
  const rest = row.status === 'SUCCESS' ? '' : `?rand=${row.progress}-${row.updated_at}`;
  return `${address}/mj/image/${row.public_id}${rest}`;
}

/** Where its films lie with the upstream; none of a drawing. */
export function filmsOf(row: Pick<TaskRow, 'data'>): string[] {
  const { videoUrls } = dataOf(row);
  return Array.isArray(videoUrls) ? videoUrls.map(textOf) : [];
}

/** What its owner is told where the films are. */
export const filmAddresses = (row: TaskRow, { forwards, address }: PicturePlace): string[] =>
  filmsOf(row).map((film, piece) =>
    forwards ? `${address}/mj/video/${row.public_id}${piece === 0 ? '' : `?piece=${piece}`}` : film,
  );

/** The parts that both its caller and the lists of the console show. */
export const drawingFacts = (row: TaskRow) => {
  const { promptEn, description, buttons = [], properties = {} } = dataOf(row);
  return {
    prompt: textOf(row.input.prompt),
    promptEn: textOf(promptEn),
    description: textOf(description),
    state: textOf(row.input.state),
    buttons: buttons as Json,
    properties: properties as Json,
    code: typeof row.input.code === 'number' ? row.input.code : 0,
  };
};

/** The answer to who asks after it. */
export function drawingAnswer(row: TaskRow, place: PicturePlace, locale: keyof Text = 'en'): JsonObject {
  const { prompt, promptEn, description, state, buttons, properties } = drawingFacts(row);
  const [film, ...more] = filmAddresses(row, place);
  return {
    id: row.public_id,
    action: row.action,
    customId: '',
    botType: '',
    prompt,
    promptEn,
    description,
    state,
    submitTime: row.submit_time,
    startTime: row.start_time,
    finishTime: row.finish_time,
    imageUrl: pictureAddress(row, place),
    ...(film !== undefined && { videoUrl: film, videoUrls: [film, ...more].map((url) => ({ url })) }),
    status: row.status,
    progress: `${row.progress}%`,
    failReason: failText(row, locale),
    buttons,
    maskBase64: '',
    properties,
  };
}
