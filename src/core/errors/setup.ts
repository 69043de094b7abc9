/** The first start. */
import { type Row, row } from './row.ts';

export const setup = {
  SETUP_DONE: row(200, 400, '系统已经初始化完成', 'The system has already been initialised'),
  SETUP_TOKEN: row(403, 403, '初始化令牌无效，请使用启动时打印的链接', 'Wrong set-up token, please use the link that was printed at the start'),
  SETUP_USERNAME: row(200, 400, '请输入管理员用户名', 'Please enter the administrator username'),
  SETUP_PASSWORD_SHORT: row(200, 400, '密码长度至少为8个字符', 'The password needs at least 8 characters'),
} satisfies Record<string, Row>;
