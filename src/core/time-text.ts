/**
 * Times as people read them, in the viewer's own zone. The caller says which instant counts as now, so that the server
 * and the browser write the same words for the same page.
 */
import { DAY_SEC, HOUR_SEC } from './time.ts';

export interface TimeRules {
  locale: 'zh' | 'en';
  /** IANA name, such as `Asia/Shanghai`. */
  timeZone: string;
}

/** A browser takes 13 ms for its first formatter, and less than one for its first `Temporal`, which some have not yet. */
const partsOf = (seconds: number, timeZone: string): Record<string, string> =>
  typeof Temporal === 'undefined' ? formattedParts(seconds, timeZone) : temporalParts(seconds, timeZone);

function temporalParts(seconds: number, timeZone: string): Record<string, string> {
  const time = Temporal.Instant.fromEpochMilliseconds(Math.floor(seconds * 1000)).toZonedDateTimeISO(
    timeZone,
  );
  const two = (part: number) => String(part).padStart(2, '0');
  return {
    year: String(time.year),
    month: two(time.month),
    day: two(time.day),
    hour: two(time.hour),
    minute: two(time.minute),
    second: two(time.second),
  };
}

/** A formatter takes some 0.1 ms to make and tens of KB; a site's readers live in few zones at once. */
const FORMATS_MAX = 64;
const formats = new Map<string, Intl.DateTimeFormat>();

function formattedParts(seconds: number, timeZone: string): Record<string, string> {
  let format = formats.get(timeZone);
  if (!format) {
    const oldest = formats.size >= FORMATS_MAX ? formats.keys().next().value : undefined;
    if (oldest !== undefined) formats.delete(oldest);
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return Object.fromEntries(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, value]));
}

/**
 * Zones that were renamed: some engines give browsers the former name as the canonical one, others the new one, and all
 * know both.
 */
const RENAMED: readonly string[] = [
  'Africa/Asmera Africa/Asmara',
  'America/Buenos_Aires America/Argentina/Buenos_Aires',
  'America/Catamarca America/Argentina/Catamarca',
  'America/Cordoba America/Argentina/Cordoba',
  'America/Jujuy America/Argentina/Jujuy',
  'America/Mendoza America/Argentina/Mendoza',
  'America/Coral_Harbour America/Atikokan',
  'America/Indianapolis America/Indiana/Indianapolis',
  'America/Louisville America/Kentucky/Louisville',
  'America/Godthab America/Nuuk',
  'Asia/Calcutta Asia/Kolkata',
  'Asia/Katmandu Asia/Kathmandu',
  'Asia/Rangoon Asia/Yangon',
  'Asia/Saigon Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe Atlantic/Faroe',
  'Europe/Kiev Europe/Kyiv',
  'Pacific/Enderbury Pacific/Kanton',
  'Pacific/Ponape Pacific/Pohnpei',
  'Pacific/Truk Pacific/Chuuk',
];

let zones: ReadonlySet<string> | undefined;

/** A zone by the name that an engine gives it, or UTC. Other spellings of it would have formatters of their own. */
export function knownZone(timeZone: string | undefined): string {
  zones ??= new Set([
    'UTC',
    ...Intl.supportedValuesOf('timeZone'),
    ...RENAMED.flatMap((names) => names.split(' ')),
  ]);
  return timeZone !== undefined && zones.has(timeZone) ? timeZone : 'UTC';
}

/** `2026-05-01 14:03:21`. */
export function formatDateTime(seconds: number, timeZone: string): string {
  const p = partsOf(seconds, timeZone);
  return `${p.year}-${p.month}-${p.day} ${p.hour}:${p.minute}:${p.second}`;
}

/** `05-01 14:03` within the present year, else `2027-05-01`. */
export function formatShort(seconds: number, now: number, timeZone: string): string {
  const p = partsOf(seconds, timeZone);
  if (p.year !== partsOf(now, timeZone).year) return `${p.year}-${p.month}-${p.day}`;
  return `${p.month}-${p.day} ${p.hour}:${p.minute}`;
}

const SOON_SEC = 60;
const units: readonly [seconds: number, zh: string, en: string][] = [
  [DAY_SEC, '天', 'd'],
  [HOUR_SEC, '小时', 'h'],
  [60, '分钟', 'min'],
];

/** `刚刚`, `2 天前`; `just now`, `2 d ago`. A time to come reads `2 天后`, `in 2 d`. */
export function formatRelative(seconds: number, now: number, locale: 'zh' | 'en'): string {
  const ahead = seconds > now;
  const distance = Math.abs(now - seconds);
  if (distance < SOON_SEC) return locale === 'zh' ? '刚刚' : 'just now';
  const [size, zh, en] = units.find(([least]) => distance >= least) ?? [60, '分钟', 'min'];
  const count = Math.floor(distance / size);
  if (locale === 'zh') return `${count} ${zh}${ahead ? '后' : '前'}`;
  return ahead ? `in ${count} ${en}` : `${count} ${en} ago`;
}

/** The second that `yyyy-MM-dd HH:mm:ss` names in a zone; null when it is no such time. */
export function parseDateTime(text: string, timeZone: string): number | null {
  const match = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/.exec(text.trim());
  if (!match) return null;
  const asUtc = Date.parse(`${text.trim().replace(' ', 'T')}Z`);
  if (Number.isNaN(asUtc)) return null;
  // The zone's distance from UTC, taken where the time would lie; once more, for times beside a change of the clock.
  let seconds = asUtc / 1000;
  for (let round = 0; round < 2; round++) {
    const shown = Date.parse(`${formatDateTime(seconds, timeZone).replace(' ', 'T')}Z`) / 1000;
    seconds += asUtc / 1000 - shown;
    // At the ends of what four digits name the zone may already write another year.
    if (!Number.isFinite(seconds)) return null;
  }
  return formatDateTime(seconds, timeZone) === text.trim() ? seconds : null;
}
