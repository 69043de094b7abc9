/** The general privacy agreement of a gateway; `{site}` is its name. The operator can put his own in its place. */
import type { Text } from '../../core/errors.ts';

const zh = `
本协议说明 {site} 的运营者（以下称“我们”）如何处理您的个人信息。我们只处理提供服务所必需的信息。

# 一、我们收集的信息
账号信息：用户名、显示名称，以及您选择提供的邮箱、手机号和第三方账户标识。密码只以不可还原的形式保存。

登录信息：登录时间、IP 地址和浏览器类型，用于保护账号安全。

用量信息：每次调用的时间、模型、令牌名称、用量、费用、IP 地址和请求编号，用于计费、对账和排查问题。

支付信息：充值的订单号、金额和状态。支付账户信息由支付机构处理，我们不接触。

# 二、请求的内容
您发送的提示词、文件和模型的回答只为完成调用而处理，并转发给您所选模型的服务商。我们默认不在日志中保存提示词和回答。

模型服务商按照其自己的政策处理收到的内容，其服务器可能位于其他国家或地区。请不要在请求中发送不必要的个人信息。

# 三、信息的用途
提供、维护和改进服务，计费和对账，保护账号和系统安全，防止滥用，发送验证码、额度提醒等必要通知，以及履行法律义务。我们不出售您的个人信息，也不用于广告。

# 四、Cookie 与本地存储
我们使用 Cookie 保存登录状态、语言和主题，使用浏览器的本地存储保存界面偏好。它们是服务所必需的，不用于跟踪。

# 五、信息的共享
除以下情况外，我们不向他人提供您的个人信息：模型服务商收到您的请求内容；短信、邮件、支付和人机校验服务商收到完成其服务所必需的信息；您用第三方账户登录时，由该第三方确认您的身份；法律法规或有权机关要求。

# 六、保存期限
账号信息保存到账号注销为止。为防止重复领取赠送额度，注销后仍保存您所用邮箱、手机号和第三方账号的加密散列至多两年（加油包领取间隔更长的，以该间隔为限），无法由其得知原文。调用日志按本站设置的期限保存，到期删除。法律要求更长期限的，从其规定。

# 七、安全
我们采取加密传输、加密保存密钥、权限控制等措施保护您的信息。如发生可能影响您的安全事件，我们会按法律要求通知您。

# 八、您的权利
您可以在个人设置中查看和修改自己的信息，解除第三方绑定，注销账号；也可以联系我们查询、更正、删除您的信息或撤回同意。撤回同意不影响此前的处理。

# 九、未成年人
本站面向成年人。未成年人应在监护人同意和指导下使用；如果您发现未成年人擅自注册，请联系我们。

# 十、协议的修改
我们可能修改本协议，修改后的内容在本页公布后生效；有重大变化时，我们会在本站提示。

# 十一、联系我们
对个人信息的处理有任何疑问、意见或投诉，请通过本站公布的联系方式与我们联系。
`;

const en = `
This agreement says how the operator of {site} ("we") handles your personal data. We handle only what providing the service needs.

# 1. What we collect
Account data: user name and display name, and the email address, phone number and third-party account ids that you choose to give. Passwords are kept only in a form that cannot be turned back.

Sign-in data: time, IP address and kind of browser, to protect your account.

Usage data: time, model, token name, amounts used, cost, IP address and request id of each call, for charging, reconciliation and fault finding.

Payment data: number, amount and state of an order. Your payment account is handled by the payment provider and never reaches us.

# 2. The content of requests
Prompts, files and answers are handled only to carry out the call, and are passed on to the provider of the model that you choose. By default our logs keep neither prompts nor answers.

Model providers handle what they receive under their own policies, and their servers may stand in other countries. Please send no personal data that the request does not need.

# 3. What we use it for
To provide, maintain and improve the service, to charge and reconcile, to protect accounts and systems, to prevent abuse, to send necessary messages such as verification codes and quota warnings, and to meet legal duties. We do not sell your personal data and do not use it for advertising.

# 4. Cookies and local storage
We use cookies for your sign-in, language and theme, and the local storage of your browser for preferences of the interface. The service needs them; they do not track you.

# 5. Who else receives it
We pass your personal data to nobody, except: model providers receive the content of your requests; providers of text messages, mail, payment and human checks receive what their service needs; when you sign in with a third-party account, that party confirms who you are; and where law or an authority entitled by law demands it.

# 6. How long we keep it
Account data is kept until the account is deleted. So that free quota is given only once, a keyed hash of your mailbox, phone number and third-party accounts, from which they cannot be read, stays for up to two years after that, or for as long as the site’s fuel packs are apart if that is longer. Logs of calls are kept for the time that this site has set and are then removed. Where the law demands longer, that applies.

# 7. Security
We protect your data by encrypted transport, encrypted storage of keys, and control of access. If an incident may affect you, we tell you as the law requires.

# 8. Your rights
In your personal settings you can see and change your data, unbind third-party accounts and delete your account. You can also ask us for access, correction or deletion, or withdraw your consent; what was done before remains lawful.

# 9. Minors
This site is for adults. Minors use it with the consent and guidance of their guardians. If you learn that a minor has registered without it, please tell us.

# 10. Changes to this agreement
We may change this agreement. A change takes effect when it is published on this page; we point out important ones on the site.

# 11. Contact
For any question, remark or complaint about how personal data is handled, reach us by the means of contact that the site publishes.
`;

export const privacyPolicy: Text = { zh, en };
