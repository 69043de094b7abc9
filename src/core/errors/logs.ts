/** Logs. */
import { type Row, row } from './row.ts';

export const logs = {
  LOG_TIMEOUT: row(200, 503, '查询超时，请缩小时间范围', 'The query took too long, please narrow the time range'),
  LOG_DELETING: row(200, 400, '日志正在删除中', 'Rows of the log are being deleted already'),
  TASKS_LARGE: row(200, 400, '本页任务的内容合计过大，请减少每页条数', 'The tasks of this page are too large together, please choose fewer a page'),
  NO_RECEIPT: row(200, 404, '该记录没有账单', 'This row has no bill'),
  PAGE_DEPTH: row(400, 400, '只能翻阅最新的 {most} 条记录，更早的请缩小时间范围', 'Pages reach the newest {most} rows; narrow the time range for older ones'),
  SHEETS_OPEN: row(429, 429, '正在下载的表格过多，请等待其完成后再试', 'Too many sheets are being downloaded at once; try again when one of them has ended'),
  USAGE_OFF: row(200, 403, '管理员未启用数据看板', 'The administrator has not enabled the data dashboard'),
  USAGE_SPAN: row(200, 400, '时间跨度不能超过 1 个月', 'The time span may not exceed one month'),
} satisfies Record<string, Row>;
