/** The server itself: its address, who may embed it, what admins see. */
import { checkOrigin, checkPorts, checkUrl } from './checks.ts';
import { option } from './define.ts';

const server = { panel: 'system', block: 'server' } as const;

export const system = {
  ServerAddress: option.text({
    max: 300,
    status: 'server_address',
    check: checkUrl,
    place: server,
    label: { zh: '服务器地址', en: 'Server address' },
    help: {
      zh: '用于链接和回调；设置了环境变量 SERVER_ADDRESS 时以其为准',
      en: 'For links and callbacks. The environment variable SERVER_ADDRESS wins over it.',
    },
  }),
  TokenKeyReveal: option.choice({
    choices: {
      always: { zh: '所有者可随时查看', en: 'Whenever the owner asks' },
      once: { zh: '只在创建时显示一次', en: 'Once, when it is made' },
    },
    default: 'always',
    place: server,
    label: { zh: '令牌密钥显示', en: 'Showing token keys' },
  }),
  AdminChannelMenuEnabled: option.boolean({
    default: false,
    place: server,
    label: { zh: '管理员菜单显示渠道和兑换码', en: 'Channels and codes in the menu of admins' },
    help: {
      zh: '管理员始终可以调用相应接口，这里只控制菜单',
      en: 'Admins may always make the calls; this is for the menu only.',
    },
  }),
  EgressPorts: option.lines({
    check: checkPorts,
    maxLines: 100,
    place: server,
    label: { zh: '对外请求可用的端口', en: 'Ports that outgoing calls may use' },
    help: {
      zh: '用户和调用方给出的地址（图片、文件、Webhook、身份服务、管理员的渠道）只能使用 443、8443 和 http 的 80 端口；这里每行增加一个端口或范围，例如 8000-8100',
      en: 'Addresses that users, callers and admins give (pictures, files, webhooks, identity services, channels) may use 443, 8443 and, for http, 80. Each line adds a port or a range such as 8000-8100.',
    },
  }),
  EmbedOrigins: option.lines({
    check: checkOrigin,
    maxLines: 50,
    place: server,
    label: { zh: '允许嵌入的来源', en: 'Origins that may embed the console' },
    help: {
      zh: '每行一个，例如 https://app.example.com，不含通配符；登录、授权和初始化页面任何人都不能嵌入',
      en: 'One a line, like https://app.example.com, without wildcards. Nobody can embed the pages to sign in, to allow applications and to set up.',
    },
  }),
};
