/** Drawing and music tasks. */
import { option } from './define.ts';

const place = { panel: 'operation', block: 'tasks' } as const;

export const drawing = {
  DrawingEnabled: option.boolean({
    default: true,
    status: 'enable_drawing',
    place,
    label: { zh: '启用绘图功能', en: 'Drawing' },
    help: { zh: '在菜单中显示绘图日志', en: 'Shows the drawing log in the menu.' },
  }),
  TaskEnabled: option.boolean({
    default: true,
    status: 'enable_task',
    place,
    label: { zh: '启用任务功能', en: 'Tasks' },
    help: { zh: '在菜单中显示任务日志', en: 'Shows the task log in the menu.' },
  }),
  TaskTimeoutHours: option.integer({
    default: 24,
    min: 1,
    // Charges are kept one by one for longer, so that each can be given back.
    max: 72,
    place,
    label: { zh: '任务超时（小时）', en: 'Task deadline (hours)' },
    help: { zh: '超时的任务视为失败，费用自动退回', en: 'Tasks that take longer fail and are refunded.' },
  }),
  MjNotifyEnabled: option.boolean({
    default: false,
    status: 'mj_notify_enabled',
    place,
    label: { zh: '允许绘图回调', en: 'Callbacks of drawing tasks' },
    help: {
      zh: '会向上游透露服务器地址；同时允许调用方用 notifyHook 接收通知',
      en: 'Tells the upstream this server’s address, and lets callers be told by their notifyHook.',
    },
  }),
  MjAccountFilterEnabled: option.boolean({
    default: false,
    place,
    label: { zh: '允许 accountFilter 参数', en: 'Callers may choose accounts' },
  }),
  MjForwardUrlEnabled: option.boolean({
    default: true,
    place,
    label: { zh: '将图片地址替换为本站地址', en: 'Serve images from this site' },
  }),
  MjModeClearEnabled: option.boolean({
    default: false,
    place,
    label: {
      zh: '清除提示词中的 --fast、--relax 和 --turbo',
      en: 'Remove --fast, --relax and --turbo from prompts',
    },
  }),
  MjActionCheckSuccessEnabled: option.boolean({
    default: true,
    place,
    label: { zh: '操作前检查任务是否成功', en: 'Actions need a finished task' },
  }),
};
