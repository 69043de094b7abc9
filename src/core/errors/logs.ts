/** Logs. */
import { type Row, row } from './row.ts';

export const logs = {
  LOG_TIMEOUT: row(200, 503, '查询超时，请缩小时间范围', 'The query took too long, please narrow the time range'),
} satisfies Record<string, Row>;
