// SPDX-License-Identifier: MIT
// Says which release it is, which is all that this example needs.
console.log(`Greetings from ${process.env.GREETER_VERSION}!`);
