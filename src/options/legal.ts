/** The site's terms in the operator's own words. */
import type { Text } from '../core/errors.ts';
import { option } from './define.ts';

const TEXT_MAX = 100_000;

const HELP: Text = {
  zh: '纯文本：以“# ”开头的行是标题，空行分段。两种语言都留空时使用通用文本',
  en: 'Plain text: a line that begins with "# " is a heading, an empty line parts paragraphs. With both languages empty, a general text is used.',
};

const document = (zh: string, en: string) =>
  option.text({ max: TEXT_MAX, place: { panel: 'other', block: 'legal' }, label: { zh, en }, help: HELP });

export const legal = {
  'legal.terms_zh': document('用户协议（中文）', 'User Agreement (Chinese)'),
  'legal.terms_en': document('用户协议（英文）', 'User Agreement (English)'),
  'legal.privacy_zh': document('隐私协议（中文）', 'Privacy Agreement (Chinese)'),
  'legal.privacy_en': document('隐私协议（英文）', 'Privacy Agreement (English)'),
};
