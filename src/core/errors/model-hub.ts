/** The catalogue of models. */
import { type Row, row } from './row.ts';

export const modelHub = {
  HUB_NAME_TAKEN: row(200, 400, '模型名称已存在：{name}', 'Model name already exists: {name}'),
  HUB_NUMBER: row(200, 400, '请输入数字：{name} 的{field}', 'Please enter a number: {field} of {name}'),
  HUB_ICON: row(200, 400, '{name} 的图标必须是不超过 64 KB 的 PNG、JPEG、GIF、WebP 或 SVG 图片', 'The icon of {name} must be a PNG, JPEG, GIF, WebP or SVG picture of at most 64 KB'),
} satisfies Record<string, Row>;
