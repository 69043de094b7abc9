/** The filtered log as a sheet, read and sent piece by piece. */
import { stringify } from 'csv-stringify/sync';
import type { Locale, Text } from '../../core/errors.ts';
import { parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { usdText } from '../../core/money.ts';
import { nowSec } from '../../core/time.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { Deps } from '../deps.ts';
import { isFolded, type LogFilter } from './filter.ts';
import { countPaged, type LogItem, type LogReader, logItem, readRows } from './list.ts';
import { byTokenIds } from './tokens.ts';
import { countLogs, lastLooked } from './totals.ts';
import { TYPE_NAMES } from './words.ts';

type Reads = Pick<Deps, 'db' | 'options'>;

interface Cells {
  item: LogItem;
  usd: string;
  locale: Locale;
}

interface SheetColumn {
  head: Text;
  /** For those who see all. */
  isAdmins?: boolean;
  cell(of: Cells): string | number;
}

const COLUMNS: readonly SheetColumn[] = [
  {
    head: { zh: '时间', en: 'time' },
    cell: ({ item }) => new Date(item.created_at * 1000).toISOString(),
  },
  {
    head: { zh: '类型', en: 'type' },
    cell: ({ item, locale }) => TYPE_NAMES[item.type]?.[locale] ?? item.type,
  },
  { head: { zh: '用户', en: 'user' }, isAdmins: true, cell: ({ item }) => item.username },
  { head: { zh: '令牌', en: 'token' }, cell: ({ item }) => item.token_name },
  { head: { zh: '模型', en: 'model' }, cell: ({ item }) => item.model_name },
  { head: { zh: '分组', en: 'group' }, cell: ({ item }) => item.group },
  { head: { zh: '渠道', en: 'channel' }, isAdmins: true, cell: ({ item }) => item.channel || '' },
  { head: { zh: '输入', en: 'prompt_tokens' }, cell: ({ item }) => item.prompt_tokens },
  { head: { zh: '输出', en: 'completion_tokens' }, cell: ({ item }) => item.completion_tokens },
  // What was spent and what came in stand apart, so that each column has the sum that the page shows.
  { head: { zh: '额度', en: 'quota' }, cell: ({ item }) => (isSpent(item) ? item.quota : '') },
  { head: { zh: '美元', en: 'usd' }, cell: ({ item, usd }) => (isSpent(item) ? usd : '') },
  { head: { zh: '入账额度', en: 'credited_quota' }, cell: ({ item }) => (isSpent(item) ? '' : item.quota) },
  { head: { zh: '入账美元', en: 'credited_usd' }, cell: ({ item, usd }) => (isSpent(item) ? '' : usd) },
  { head: { zh: '用时（秒）', en: 'seconds' }, cell: ({ item }) => item.use_time },
  { head: { zh: '流式', en: 'stream' }, cell: ({ item }) => (item.is_stream ? 1 : 0) },
  { head: { zh: '错误', en: 'error' }, cell: ({ item }) => errorOf(item) },
  { head: { zh: '详情', en: 'detail' }, cell: ({ item }) => item.content },
  { head: { zh: '请求 ID', en: 'request_id' }, cell: ({ item }) => item.request_id },
];

/** Rows of other types tell what the account gained. */
const isSpent = ({ type }: LogItem): boolean => type === LOG_TYPE.consumption;

function errorOf({ other }: LogItem): string {
  const error = parseObject(other)?.error;
  return typeof error === 'string' ? error : '';
}

/** How many rows a sheet of the filter has, for who waits for it; null where it is not known. Throws LOG_TIMEOUT. */
export async function countExport(
  { db }: Reads,
  { id }: LogReader,
  filter: LogFilter,
): Promise<number | null> {
  const { total, looked } = await boundedRead(db, { reader: id, ms: limits.logReadMs }, async (tx) => {
    const asked = await byTokenIds(tx, filter);
    // It has those that no page has, too.
    return isFolded(asked) ? countLogs(tx, asked) : countPaged(tx, asked);
  });
  return looked ? null : Math.min(total, limits.exportRows);
}

/**
 * All rows of the filter, newest first, whose sums are those of the page. Each piece looks at so many rows and tells
 * the first that fit; it is read when the one before has been taken. What comes after the beginning is not in it. Throws
 * LOG_TIMEOUT.
 */
export async function* exportLogs(
  { db, options }: Reads,
  reader: LogReader,
  given: LogFilter,
): AsyncGenerator<string> {
  const columns = COLUMNS.filter(({ isAdmins }) => !isAdmins || reader.scope === 'all');
  const perUnit = options.get('QuotaPerUnit');
  const filter = { ...given, to: Math.min(given.to ?? Number.MAX_SAFE_INTEGER, nowSec()) };
  const most = limits.exportLooked;
  let before: LogFilter['before'];
  let written = 0;
  for (let isFirst = true; isFirst || before; isFirst = false) {
    const limit = Math.min(limits.exportPage, limits.exportRows - written);
    const [rows, last] = await boundedRead(db, { reader: reader.id, ms: limits.logReadMs }, async (tx) => {
      const from = { ...(await byTokenIds(tx, filter)), ...(before && { before }) };
      const page = await readRows(tx, from, { limit, offset: 0 }, most);
      // Behind a full piece there may be more that fits of what was looked at.
      return [page, page.length === limit ? page.at(-1) : await lastLooked(tx, from, most)] as const;
    });
    written += rows.length;
    const lines = rows.map((row) => {
      const item = logItem(row, reader);
      const usd = usdOf(item.quota, perUnit);
      return columns.map(({ cell }) => cell({ item, usd, locale: reader.locale }));
    });
    if (isFirst || lines.length > 0) {
      yield stringify(lines, {
        bom: isFirst,
        header: isFirst,
        columns: columns.map(({ head }) => head[reader.locale]),
        record_delimiter: 'windows',
        escape_formulas: true,
      });
    }
    before = written < limits.exportRows ? last : undefined;
  }
}

/** Of what was given back, with a minus; a sheet takes it for a number. */
const usdOf = (quota: number, perUnit: number): string =>
  quota < 0 ? `-${usdText(-quota, perUnit)}` : usdText(quota, perUnit);
