/** All texts of a language, from a file for each part of the console; the build gives a page those that it shows. */
import activity from './zh/activity.json';
import adminLog from './zh/admin-log.json';
import approve from './zh/approve.json';
import audit from './zh/audit.json';
import channel from './zh/channel.json';
import chat from './zh/chat.json';
import common from './zh/common.json';
import customModel from './zh/custom-model.json';
import desk from './zh/desk.json';
import drawing from './zh/drawing.json';
import home from './zh/home.json';
import hub from './zh/hub.json';
import human from './zh/human.json';
import invitation from './zh/invitation.json';
import job from './zh/job.json';
import like from './zh/like.json';
import log from './zh/log.json';
import login from './zh/login.json';
import messenger from './zh/messenger.json';
import oauthApp from './zh/oauth-app.json';
import overview from './zh/overview.json';
import owner from './zh/owner.json';
import palette from './zh/palette.json';
import passkey from './zh/passkey.json';
import payment from './zh/payment.json';
import personal from './zh/personal.json';
import phone from './zh/phone.json';
import prices from './zh/prices.json';
import redemption from './zh/redemption.json';
import register from './zh/register.json';
import second from './zh/second.json';
import setting from './zh/setting.json';
import setup from './zh/setup.json';
import shell from './zh/shell.json';
import statement from './zh/statement.json';
import supplier from './zh/supplier.json';
import table from './zh/table.json';
import task from './zh/task.json';
import terms from './zh/terms.json';
import third from './zh/third.json';
import token from './zh/token.json';
import usage from './zh/usage.json';
import user from './zh/user.json';
import wallet from './zh/wallet.json';

export default {
  ...activity,
  ...adminLog,
  ...approve,
  ...audit,
  ...common,
  ...shell,
  ...channel,
  ...chat,
  ...customModel,
  ...desk,
  ...drawing,
  ...home,
  ...hub,
  ...human,
  ...invitation,
  ...job,
  ...like,
  ...log,
  ...login,
  ...messenger,
  ...oauthApp,
  ...overview,
  ...owner,
  ...palette,
  ...passkey,
  ...payment,
  ...personal,
  ...phone,
  ...register,
  ...prices,
  ...second,
  ...setting,
  ...setup,
  ...statement,
  ...supplier,
  ...table,
  ...task,
  ...terms,
  ...third,
  ...token,
  ...redemption,
  ...usage,
  ...user,
  ...wallet,
};
