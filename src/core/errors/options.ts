/** Options. */
import { type Row, row } from './row.ts';

export const options = {
  OPTION_UNKNOWN: row(200, 400, '未知的配置项：{key}', 'Unknown option: {key}'),
  OPTION_GROUPS_USED: row(200, 400, '以下分组仍在使用，删除后将按默认分组计费：{groups}', 'These groups are still in use and would pay as the group default does: {groups}'),
  OPTION_PASSKEYS_LEFT: row(200, 400, '域名改变后，已添加的 {count} 个通行密钥将无法使用', 'At another host {count} passkeys that users have added are of no use any more'),
  OPTION_NEEDS: row(200, 400, '无法启用“{key}”，请先设置：{needs}', 'To turn on “{key}”, please set first: {needs}'),
  OPTION_SECRET_AGAIN: row(200, 400, '“{key}”中 {at} 的地址已指向另一处，请重新填写其密钥', 'In “{key}” the address of {at} leads to another place: its key is needed again'),
  OPTION_SECRET_WITH_ADDRESS: row(200, 400, '“{key}”指向另一处：请同时重新填写“{secret}”', '“{key}” leads to another place: “{secret}” has to be given again with it'),
  OPTION_INVALID: row(200, 400, '“{key}”无效：{reason}', 'Invalid value for “{key}”: {reason}'),
} satisfies Record<string, Row>;
