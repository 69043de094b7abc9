/** The site's name and look, and its mode. */
import { z } from 'zod';
import { checkLink, LINK_MAX } from '../core/links.ts';
import { checkUrl } from './checks.ts';
import { option, refusal } from './define.ts';

const site = { panel: 'other', block: 'site' } as const;
const content = { panel: 'other', block: 'content' } as const;
const desk = { panel: 'other', block: 'desk' } as const;
const mode = { panel: 'other', block: 'mode' } as const;

const link = z
  .string()
  .max(LINK_MAX)
  .superRefine((text, ctx) => {
    const reason = checkLink(text);
    if (reason) ctx.addIssue(refusal(reason.zh, reason.en));
  });

export const other = {
  SystemName: option.text({
    default: 'Tollgate',
    max: 60,
    status: 'system_name',
    place: site,
    label: { zh: '系统名称', en: 'Name of the site' },
  }),
  Logo: option.text({
    max: 2_000,
    status: 'logo',
    check: checkUrl,
    place: site,
    label: { zh: 'Logo 图片地址', en: 'Address of the logo' },
  }),
  Footer: option.html({
    status: 'footer_html',
    place: site,
    label: { zh: '页脚', en: 'Footer' },
  }),
  HomeLink: option.text({
    max: 2_000,
    status: 'home_link',
    check: checkUrl,
    place: site,
    label: { zh: '首页链接', en: 'Home link' },
    help: {
      zh: '顶栏（手机上为菜单）中的“首页”通往此地址；留空则隐藏',
      en: 'Where Home leads to in the top bar, on phones in the menu; empty hides it.',
    },
  }),
  DownloadLink: option.text({
    max: 2_000,
    status: 'download_link',
    check: checkUrl,
    place: desk,
    label: { zh: '客户端下载页', en: 'Download page of the client' },
    help: {
      zh: '菜单“个人”中的“下载客户端”通往此地址；留空则隐藏',
      en: 'Where Client download leads to, under Personal in the menu; empty hides it.',
    },
  }),
  dxt_download_base: option.text({
    max: 2_000,
    check: checkUrl,
    place: desk,
    label: { zh: 'DXT 下载地址', en: 'Download address of DXT files' },
    help: {
      zh: '应用默认 DXT 地址的前缀；留空为服务器地址加 /dxt',
      en: 'What default DXT addresses begin with; empty for the server address and /dxt.',
    },
  }),
  Notice: option.content({
    place: content,
    label: { zh: '公告', en: 'Notice' },
    help: {
      zh: '显示在首页和总览上方；Markdown 或 HTML',
      en: 'Stands at the top of the home page and the overview. Markdown or HTML.',
    },
  }),
  HomePageContent: option.content({
    place: content,
    label: { zh: '首页内容', en: 'Home page' },
    help: {
      zh: '代替首页的介绍文字：Markdown 或 HTML，或一个 http(s) 地址，其页面将显示在隔离的框架中',
      en: 'In the place of the introduction on the home page: Markdown or HTML, or an http(s) address whose page is shown in a frame of its own that may touch nothing here.',
    },
  }),
  About: option.content({
    place: content,
    label: { zh: '关于', en: 'About' },
    help: {
      zh: '显示在首页底部：Markdown 或 HTML，或一个 http(s) 地址',
      en: 'Stands at the end of the home page: Markdown or HTML, or an http(s) address.',
    },
  }),
  SelfUseModeEnabled: option.boolean({
    default: false,
    status: 'self_use_mode_enabled',
    place: mode,
    label: { zh: '自用模式', en: 'Self-use mode' },
    help: {
      zh: '不开放注册，未设置价格的模型也可使用',
      en: 'No registration; models without a price may be used.',
    },
  }),
  DemoSiteEnabled: option.boolean({
    default: false,
    status: 'demo_site_enabled',
    place: mode,
    label: { zh: '演示站点', en: 'Demo site' },
    help: {
      zh: '除超级管理员外只能查看',
      en: 'Everyone but the super admin may only look.',
    },
  }),
  Chats: option.json({
    default: [],
    shape: z.array(z.record(z.string().min(1).max(60), link)).max(100),
    status: 'chats',
    place: { panel: 'operation', block: 'chats' },
    label: { zh: '聊天链接', en: 'Chat links' },
    help: {
      zh: 'JSON 数组，每项为 {名称: 地址}，地址中可用 {key} 和 {address}；显示在令牌的菜单中',
      en: 'JSON list of {name: address}; {key} and {address} are filled in. They stand in the menu of each token.',
    },
  }),
  ChatLink: option.text({
    max: 2_000,
    status: 'chat_link',
    check: checkLink,
    label: { zh: '聊天页面地址', en: 'Chat page' },
  }),
  ChatLink2: option.text({
    max: 2_000,
    status: 'chat_link2',
    check: checkLink,
    label: { zh: '聊天页面地址 2', en: 'Second chat page' },
  }),
};
