/** A track of an MP4: what its tables list of its samples and their times, and how long it lasts by them. */
import { LEAST_BYTES_A_SECOND, SLOWEST_BYTES_A_SECOND, Untold } from './feed.ts';
import { type FrameKind, secondsOfFrame } from './frames.ts';

export interface Track {
  id: number | null;
  /** It was called so; of two words players may go by either. */
  isSound: boolean;
  isPicture: boolean;
  /** Ticks a second of its times. */
  scale: number;
  /** Ticks: told by its head, by its table of times, by its fragments. */
  head: number;
  table: number;
  fragments: number;
  /** The same until the end of its last fragment, which says when it begins; and how much later a picture is shown than read. */
  end: number;
  delay: number;
  /** By how much a picture is shown earlier than read: readers show all others so much later. */
  back: number;
  /** Ticks at which the last picture is gone, and the first is shown, by both. */
  gone: number;
  first: number;
  /** One of its samples lasts no time, as long as its codec does not tell another. */
  isUntimed: boolean;
  /** Where in it what is shown begins, by the list of that; infinite without one. */
  from: number;
  /** Its table of times: of how many pictures, how long each. */
  runs: [count: number, ticks: number][];
  /** How many samples that table has, the longest of them, and how many the table of sizes has. */
  timed: number;
  longest: number;
  sized: number;
  /** It is longer than is kept, or stands behind what is shown later: any picture may be the last that is read. */
  isUnpaired: boolean;
  /** Ticks of the whole: told by its head, and by the list of what of it is shown when. */
  whole: number;
  /** What its codec makes of each of its samples; null where that is not known here. */
  kind: FrameKind | null;
  /** Where it is not, it lasts no longer than its bytes can as a rule. */
  isNeverSlow: boolean;
  /** Samples a second, and bits of one that is kept as it is, by its description. */
  rate: number;
  sampleBits: number;
  /** How many it lists, of how many bytes together. */
  samples: number;
  bytes: number;
  /** Seconds of those that were listed when the codec was known, and bytes of all others. */
  seconds: number;
  unread: number;
  /** It has several descriptions, and which of them a sample follows is not looked for. */
  isMixed: boolean;
}

export const newTrack = (): Track => ({
  id: null,
  isSound: false,
  isPicture: false,
  scale: 0,
  head: 0,
  table: 0,
  fragments: 0,
  end: 0,
  delay: 0,
  back: 0,
  gone: 0,
  first: Number.POSITIVE_INFINITY,
  isUntimed: false,
  from: Number.POSITIVE_INFINITY,
  runs: [],
  timed: 0,
  longest: 0,
  sized: 0,
  isUnpaired: false,
  whole: 0,
  kind: null,
  isNeverSlow: false,
  rate: 0,
  sampleBits: 0,
  isMixed: false,
  samples: 0,
  bytes: 0,
  seconds: 0,
  unread: 0,
});

/** Kept of a table of times. */
const RUNS_MOST = 4_096;

/** An entry of its table of times: so many pictures, each for so long. */
export function addTimes(track: Track, count: number, ticks: number): void {
  track.table += count * ticks;
  track.timed += count;
  track.longest = Math.max(track.longest, ticks);
  track.isUntimed ||= count > 0 && ticks === 0;
  if (track.delay > 0 || track.runs.length === RUNS_MOST) track.isUnpaired = true;
  else track.runs.push([count, ticks]);
}

/** Ticks of its tables: samples that have no time of their own last as long as the last that has (FFmpeg). */
export const tableTicks = ({ table, timed, longest, sized }: Track): number =>
  table + Math.max(sized - timed, 0) * longest;

/** Samples of so many bytes each. */
export function addSamples(track: Track, bytes: number, count = 1): void {
  track.samples += count;
  track.bytes += count * bytes;
  if (track.kind) track.seconds += count * secondsOfFrame(track.kind, bytes);
  else track.unread += count * bytes;
}

/** A picture that is read until then is shown so much later; offsets without a sign are read with one as well. */
export function showLater(track: Track, from: number, until: number, offset: number, hasSign = true): void {
  const signed = offset | 0;
  const delay = hasSign ? signed : offset;
  track.back = Math.max(track.back, -signed);
  track.delay = Math.max(track.delay, delay);
  track.gone = Math.max(track.gone, until + delay);
  track.first = Math.min(track.first, from + delay);
}

/** How many are read of a list. Behind the end of its box some readers go on, and nothing is known of what they find. */
export function countIn(track: Track, told: number, room: number): number {
  if (told > room) track.whole = Number.POSITIVE_INFINITY;
  return Math.min(told, room);
}

/** When its pictures are read, for so many at a time. */
export function readTimes({ runs }: Track): (pictures: number) => [from: number, until: number] {
  let run = 0;
  let taken = 0;
  let at = 0;
  return (pictures) => {
    const from = at;
    for (let left = pictures; left > 0; ) {
      const [count, ticks] = runs[run] ?? [Number.POSITIVE_INFINITY, 0];
      const now = Math.min(left, count - taken);
      at += now * ticks;
      left -= now;
      taken += now;
      if (taken < count) break;
      run++;
      taken = 0;
    }
    return [from, at];
  };
}

/** What lies there by its samples and by what the tracks claim, as far as a file of so many bytes can hold it. */
export function walkedSeconds(tracks: readonly Track[], total: number): number {
  const claims = tracks.map(({ scale, head, table, fragments }) =>
    scale > 0 ? Math.max(head, table, fragments) / scale : 0,
  );
  // Samples may share bytes, so that there can be more of them than bytes.
  const counted = tracks.map(({ kind, samples, seconds, unread }) =>
    kind ? Math.max(samples * kind.seconds, seconds + Math.min(unread, total) / SLOWEST_BYTES_A_SECOND) : 0,
  );
  // Of a codec that is not counted here any time may be claimed: it may last as long as the file's bytes can.
  const uncounted = tracks.filter(({ isSound, kind }) => isSound && !kind);
  if (uncounted.some(({ isNeverSlow }) => !isNeverSlow)) throw new Untold();
  // The pictures of a film are no sound. Fragments list their samples elsewhere.
  const isFilm = tracks.some(({ isSound }) => !isSound);
  const bytes = uncounted.map((track) =>
    isFilm && track.fragments === 0 && track.bytes > 0 ? track.bytes : total,
  );
  const most = Math.max(0, ...bytes.map((each) => Math.min(each, total))) / SLOWEST_BYTES_A_SECOND;
  return Math.max(Math.min(Math.max(most, ...claims), total / LEAST_BYTES_A_SECOND), ...counted);
}

/**
 * The longest of what its head, tables and fragments claim. Of a track without a scale readers take what they like, and a
 * picture that lasts no time is shown by the rate of its codec, which is not looked for.
 */
export function shownSeconds(track: Track): number {
  if (track.isUntimed && (track.isPicture || !track.isSound)) return Number.POSITIVE_INFINITY;
  const { scale, head, fragments, end, delay, back } = track;
  const ticks = Math.max(head, tableTicks(track), fragments, end, delay, goneAfter(track)) + back;
  return ticks / Math.max(scale, 1);
}

/** How long it lasts by when its pictures are shown: players begin where they are told, which is no later than the first. */
function goneAfter(track: Track): number {
  const { delay, gone, first, from, isUnpaired, sized, timed } = track;
  if (isUnpaired || sized > timed) return tableTicks(track) + delay;
  return gone - (from === Number.POSITIVE_INFINITY ? 0 : Math.max(Math.min(from, first), 0));
}

/** Everything but the pictures, and all that is listed as sound. */
export function soundBytes(tracks: readonly Track[], total: number): number {
  const sum = (some: readonly Track[]) => some.reduce((bytes, track) => bytes + track.bytes, 0);
  const sound = sum(tracks.filter(({ isSound }) => isSound));
  const pictures = sum(tracks.filter(({ isSound }) => !isSound));
  return Math.max(Math.min(sound, total), total - pictures);
}
