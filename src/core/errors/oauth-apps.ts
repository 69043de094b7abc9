/** Applications that sign in here: how root registers them, and what they are refused. */
import { type Row, row } from './row.ts';

export const oauthApps = {
  OAUTH_APP_NAME: row(200, 400, '应用名称长度必须在 1 到 50 之间', 'The name needs 1 to 50 characters'),
  OAUTH_APP_HOMEPAGE: row(200, 400, '应用主页必须是以 http:// 或 https:// 开头的地址', 'The homepage must be an address that begins with http:// or https://'),
  OAUTH_APP_REDIRECTS: row(200, 400, '请填写 1 到 {most} 个回调地址', 'Enter from 1 to {most} redirect addresses'),
  OAUTH_APP_REDIRECT: row(200, 400, '回调地址 {address} 无效：必须是 https 地址、本机 http 地址或应用自己的协议，不含 # 和 *', 'The redirect address {address} is not valid: it must be https, http on the loopback, or a scheme of the application’s own, without # and *'),
  OAUTH_APP_SCOPES: row(200, 400, '请至少选择一项权限', 'Choose at least one permission'),
  OAUTH_APP_PUBLIC: row(200, 400, '公开应用没有密钥', 'A public application has no secret'),
  OAUTH_APPS_FULL: row(200, 409, '最多可登记 {most} 个应用', 'At most {most} applications can be registered'),
  OAUTH_APP_UNKNOWN: row(400, 400, '应用不存在或已禁用，请联系应用的开发者', 'The application is not registered here or is switched off; ask whoever made it'),
  OAUTH_REDIRECT_UNKNOWN: row(400, 400, '回调地址未在此应用登记，请联系应用的开发者', 'The redirect address is not registered for the application; ask whoever made it'),
  OAUTH_REQUEST_BAD: row(400, 400, '授权请求无效：{reason}', 'The authorization request is not valid: {reason}'),
  OAUTH_REQUEST_OVER: row(403, 403, '授权请求无效或已过期，请回到应用重新开始', 'This authorization is not valid or has expired; go back to the application and start again'),
  OAUTH_CLIENT: row(401, 401, '应用身份验证失败', 'The client could not be authenticated'),
  OAUTH_GRANT: row(400, 400, '授权码或刷新令牌无效、已使用或已过期', 'The code or refresh token is not valid, was used before or has expired'),
  OAUTH_GRANT_TYPE: row(400, 400, '不支持的授权类型', 'The grant type is not supported'),
  OAUTH_SCOPE: row(400, 400, '请求的权限超出了允许的范围', 'The scope is unknown or beyond what was allowed'),
  EMBED_ROLE: row(403, 403, '管理员的控制台不能嵌入其他应用', 'The console of administrators is not shown inside applications'),
  EMBED_ORIGIN: row(403, 403, '管理员未允许来源 {origin} 嵌入控制台', 'The administrator has not allowed {origin} to embed the console'),
  EMBED_ORIGIN_OF_APP: row(403, 403, '来源 {origin} 下没有此应用登记的回调地址', 'No redirect address of the application is at {origin}'),
  EMBED_TOKEN: row(403, 403, '登录凭证无效、已使用或已过期，请从应用重新打开', 'This sign-in is not valid, was used before or has expired; open it again from the application'),
  EMBED_OTHER_ACCOUNT: row(403, 403, '当前浏览器已登录另一个账户，请先退出登录', 'Another account is signed in with this browser; sign out there first'),
  EMBED_CONFIRM: row(403, 403, '此操作不能在嵌入的控制台中进行，请直接打开本站', 'This cannot be done inside an application; open this site itself'),
  SCOPE_MISSING: row(403, 403, '此应用没有得到执行该操作的授权', 'The application was not allowed to do this'),
} satisfies Record<string, Row>;
