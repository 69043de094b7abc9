/** All texts of a language, from a file for each part of the console; the build gives a page those that it shows. */
import activity from './en/activity.json';
import adminLog from './en/admin-log.json';
import approve from './en/approve.json';
import audit from './en/audit.json';
import channel from './en/channel.json';
import chat from './en/chat.json';
import common from './en/common.json';
import customModel from './en/custom-model.json';
import desk from './en/desk.json';
import drawing from './en/drawing.json';
import home from './en/home.json';
import hub from './en/hub.json';
import human from './en/human.json';
import invitation from './en/invitation.json';
import job from './en/job.json';
import like from './en/like.json';
import log from './en/log.json';
import login from './en/login.json';
import messenger from './en/messenger.json';
import oauthApp from './en/oauth-app.json';
import overview from './en/overview.json';
import owner from './en/owner.json';
import palette from './en/palette.json';
import passkey from './en/passkey.json';
import payment from './en/payment.json';
import personal from './en/personal.json';
import phone from './en/phone.json';
import prices from './en/prices.json';
import redemption from './en/redemption.json';
import register from './en/register.json';
import second from './en/second.json';
import setting from './en/setting.json';
import setup from './en/setup.json';
import shell from './en/shell.json';
import statement from './en/statement.json';
import supplier from './en/supplier.json';
import table from './en/table.json';
import task from './en/task.json';
import terms from './en/terms.json';
import third from './en/third.json';
import token from './en/token.json';
import usage from './en/usage.json';
import user from './en/user.json';
import wallet from './en/wallet.json';

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
