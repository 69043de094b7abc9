/**
 * How long films of a model may be, by the name that its maker has given it: said here for all wires, since gateways have the
 * same models. Some make one length whatever is asked for, and a film is paid by the seconds that were asked for.
 */
import { limits } from '../core/limits.ts';
import { plainName } from '../core/model-families.ts';

/** The whole numbers from the one to the other. */
const secondsFrom = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

/** By plain names. The first that fits counts. */
const LENGTHS: readonly (readonly [RegExp, readonly number[]])[] = [
  // `durationSeconds` of Gemini's and Vertex' references.
  [/^veo-?2(?!\d)/, secondsFrom(5, 8)],
  [/^veo-?3(?!\d)/, [4, 6, 8]],
  // Alibaba's text-to-video-api-reference and image-to-video-api-reference. Up to wan 2.2 a film has five seconds whatever
  // `duration` says, but for wanx2.1-i2v-turbo. Those that it gave away, whose names have their sizes, make any.
  [/^wanx2-1-i2v-turbo/, [3, 4, 5]],
  [/^wanx?2-[12]-(?!.*\db\b)/, [5]],
  [/^wan-?2-5(?!\d)/, [5, 10]],
  [/^wan-?2-6(?!\d)/, secondsFrom(2, 15)],
  // Volcano's 82379/1520757, which calls one of Wan's its own way.
  [/^wan2-1-14b/, [5]],
  [/seedance-1-0(?!\d)/, secondsFrom(2, 12)],
  [/seedance-1-5(?!\d)/, secondsFrom(4, 12)],
  [/seedance-2-0(?!\d)/, secondsFrom(4, 15)],
  // Frames of 85621/1792707. New API has five seconds made whatever is asked for but ten, and tells none of them.
  // Its first ones know no frames and make five.
  [/^jimeng[-_]vgfm/, [5]],
  [/^jimeng[-_]/, [5, 10]],
  // MiniMax' api-reference/video-generation-t2v, `duration`.
  [/^(?:minimax-)?hailuo-(?:02|2-3)(?!\d)/, [6, 10]],
  [/^[tis]2v-01/, [6]],
  // Older CogVideoX know no `duration` and make films of up to six seconds (docs.bigmodel.cn: 生成视频（异步）).
  [/^cogvideox(?:-2|-flash)?$/, [6]],
  [/^cogvideox-3(?!\d)/, [5, 10]],
  // `duration` of text2video and image2video; from the third on it takes many.
  [/^kling-v?[12](?!\d)/, [5, 10]],
];

/** Undefined for a model that no table names. */
export const knownSeconds = (model: string): readonly number[] | undefined =>
  LENGTHS.find(([name]) => name.test(plainName(model)))?.[1];

/**
 * Of a vendor's own wire. A model that no table names may not know the field and make what its vendor makes where nothing is
 * said (`unsaid`): it is asked for no less than that.
 */
export function secondsOr(unsaid: number): (model: string) => readonly number[] {
  const others = secondsFrom(unsaid, limits.videoSecondsMax);
  return (model) => knownSeconds(model) ?? others;
}
