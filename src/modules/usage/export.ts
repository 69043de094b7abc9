/** The table of the dashboard as a sheet. */
import { stringify } from 'csv-stringify/sync';
import type { Locale, Text } from '../../core/errors.ts';
import { usdText } from '../../core/money.ts';
import { inOrder } from '../../core/usage-order.ts';
import type { Deps } from '../deps.ts';
import type { SheetQuery, UsageSums } from './contract.ts';
import type { Dimension } from './facts.ts';
import { type Reader, usageReport } from './service.ts';

interface Cells {
  row: UsageSums & { key: string; name: string };
  perUnit: number;
}

interface SheetColumn {
  head: Text;
  /** Of failed calls by codes, which have nothing else. */
  isOfCodes?: boolean;
  cell(of: Cells): string | number;
}

const NAMES: Record<Dimension, Text> = {
  model: { zh: '模型', en: 'model' },
  token: { zh: '令牌', en: 'token' },
  group: { zh: '分组', en: 'group' },
  user: { zh: '用户', en: 'user' },
  channel: { zh: '渠道', en: 'channel' },
  code: { zh: '错误代码', en: 'code' },
};

/** Of what has one beside its name, which others may have too, or which is gone. */
const ID: SheetColumn = { head: { zh: '编号', en: 'id' }, cell: ({ row }) => row.key };
const WITH_ID: ReadonlySet<Dimension> = new Set(['token', 'user', 'channel']);

/** What is not known is no number. */
const SUMS: readonly SheetColumn[] = [
  { head: { zh: '成功请求', en: 'calls' }, cell: ({ row }) => row.calls },
  { head: { zh: '输入', en: 'prompt_tokens' }, cell: ({ row }) => row.prompt_tokens },
  { head: { zh: '缓存输入', en: 'cached_tokens' }, cell: ({ row }) => row.cached_tokens },
  { head: { zh: '输出', en: 'completion_tokens' }, cell: ({ row }) => row.completion_tokens },
  { head: { zh: '失败', en: 'failed' }, isOfCodes: true, cell: ({ row }) => row.failed ?? '' },
  { head: { zh: '首字（毫秒）', en: 'first_ms' }, cell: ({ row }) => row.first_ms ?? '' },
  { head: { zh: '额度', en: 'quota' }, cell: ({ row }) => row.quota },
  { head: { zh: '美元', en: 'usd' }, cell: ({ row, perUnit }) => usdText(row.quota, perUnit) },
];

function columnsOf(dimension: Dimension): SheetColumn[] {
  const name: SheetColumn = { head: NAMES[dimension], cell: ({ row }) => row.name };
  if (dimension === 'code') return [name, ...SUMS.filter(({ isOfCodes }) => isOfCodes)];
  return [...(WITH_ID.has(dimension) ? [ID] : []), name, ...SUMS];
}

/**
 * The rows of the table in its order and, as one, those beyond it, so that each column has the sum that the page shows. The
 * last one has no figures: it tells from when on they are, where older ones were left out. Throws USAGE_OFF, LOG_TIMEOUT.
 */
export async function* exportUsage(
  deps: Pick<Deps, 'db' | 'options'>,
  { locale, ...reader }: Reader & { locale: Locale },
  { sort, ...query }: SheetQuery,
): AsyncGenerator<string> {
  const {
    series,
    others,
    dimension,
    from,
    is_cut: isCut,
  } = await usageReport(deps, reader, query, { isWhole: false });
  const columns = columnsOf(dimension);
  const perUnit = deps.options.get('QuotaPerUnit');
  const rest = others && { ...others, key: '', name: othersText(others.count)[locale] };
  const rows = [...inOrder(series, sort), ...(rest ? [rest] : [])].map((row) =>
    columns.map(({ cell }) => cell({ row, perUnit })),
  );
  const isName = ({ head }: SheetColumn) => head === NAMES[dimension];
  if (isCut) rows.push(columns.map((column) => (isName(column) ? sinceText(from)[locale] : '')));
  yield stringify(rows, {
    bom: true,
    header: true,
    columns: columns.map(({ head }) => head[locale]),
    record_delimiter: 'windows',
    escape_formulas: true,
  });
}

const sinceText = (from: number): Text => {
  const time = new Date(from * 1000).toISOString();
  return { zh: `仅统计 ${time} 之后的数据`, en: `only since ${time}` };
};

const othersText = (count: number): Text => ({ zh: `其余 ${count} 个`, en: `${count} others` });
