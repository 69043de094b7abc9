/** Drawing and music tasks. */
import { option } from './define.ts';

export const drawing = {
  DrawingEnabled: option.boolean({
    default: true,
    status: 'enable_drawing',
    label: { zh: '启用绘图功能', en: 'Drawing' },
  }),
  TaskEnabled: option.boolean({
    default: true,
    status: 'enable_task',
    label: { zh: '启用任务功能', en: 'Tasks' },
  }),
  MjNotifyEnabled: option.boolean({
    default: false,
    status: 'mj_notify_enabled',
    label: { zh: '允许绘图回调', en: 'Callbacks of drawing tasks' },
    help: { zh: '会向上游透露服务器地址', en: 'Tells the upstream this server’s address.' },
  }),
  MjAccountFilterEnabled: option.boolean({
    default: false,
    label: { zh: '允许 accountFilter 参数', en: 'Callers may choose accounts' },
  }),
  MjForwardUrlEnabled: option.boolean({
    default: true,
    label: { zh: '将图片地址替换为本站地址', en: 'Serve images from this site' },
  }),
  MjModeClearEnabled: option.boolean({
    default: false,
    label: {
      zh: '清除提示词中的 --fast、--relax 和 --turbo',
      en: 'Remove --fast, --relax and --turbo from prompts',
    },
  }),
  MjActionCheckSuccessEnabled: option.boolean({
    default: true,
    label: { zh: '操作前检查任务是否成功', en: 'Actions need a finished task' },
  }),
};
