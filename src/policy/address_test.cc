#include "discreet/policy/address.h"

#include <gtest/gtest.h>

namespace discreet::policy {
namespace {

using std::string;

TEST(Address, IsASchemeAHostAndAPort) {
  EXPECT_EQ(read_address("https://TRINO.example.org")->text(), "https://trino.example.org:443");
  EXPECT_EQ(read_address("http://localhost/")->text(), "http://localhost:80");
  EXPECT_EQ(read_address("https://[::1]:8443")->text(), "https://[::1]:8443");
  EXPECT_EQ(read_address("https://[::1]")->text(), "https://[::1]:443");
  for (const char* bad : {"",
                          "trino.example.org",
                          "ftp://h",
                          "HTTPS://h",
                          "https://",
                          "https://:443",
                          "https://h:0",
                          "https://h:65536",
                          "https://h:x",
                          "https://h:",
                          "https://h/path",
                          "https://h?x",
                          "https://h#x",
                          "https://h h",
                          "https://h:1:2",
                          "https://h\r\nX: y",
                          "https://h\n",
                          "https://h\r",
                          "https://h\n:443",
                          "https://[::1",
                          "https://é"})
    EXPECT_FALSE(read_address(bad)) << bad;
}

TEST(Address, WhatIsWrongIsSaid) {
  for (const auto& [url, words] : {std::pair{"http://h:45203/ui?x", "goes on behind"},
                                   {"https://h/path", "goes on behind"},
                                   {"https://h:65536", "no port from 1 to 65535"},
                                   {"https://:443", "no host"}}) {
    const auto read = read_address(url);
    ASSERT_FALSE(read) << url;
    EXPECT_NE(read.error().text().find(words), string::npos) << read.error().text();
  }
}

TEST(Address, OneServerHasOneNameHoweverItIsSpelt) {
  for (const char* url : {"https://trino.example.org", "https://Trino.Example.ORG/",
                          "https://trino.example.org:443", "https://trino.example.org.:0443/"})
    EXPECT_EQ(read_address(url)->server(), "trino.example.org:443") << url;
  for (const char* url :
       {"http://localhost:8080", "http://127.0.0.1:8080", "http://127.1:8080/", "http://[::1]:8080",
        "http://[0:0::1]:8080", "http://[::ffff:127.0.0.1]:8080", "http://LOCALHOST.:8080",
        "http://2130706433:8080"}) {
    EXPECT_EQ(read_address(url)->server(), "localhost:8080") << url;
    EXPECT_TRUE(is_here(read_address(url)->host)) << url;
  }
  EXPECT_EQ(read_address("https://[2001:DB8:0::1]")->server(), "[2001:db8::1]:443");
  for (const char* url : {"https://127.example.org", "https://localhost.example",
                          "https://10.0.0.1", "https://[::2]"}) {
    EXPECT_NE(read_address(url)->server(), "localhost:443") << url;
    EXPECT_FALSE(is_here(read_address(url)->host)) << url;
  }
}

TEST(Address, ASecretInItIsRefusedAndNotShown) {
  for (const char* url :
       {"https://ana:hunter2@h", "https://hunter2@h/", "https://a:hunter2@h:bad"}) {
    const auto read = read_address(url);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().text().find("hunter2"), string::npos);
    EXPECT_NE(read.error().text().find("password"), string::npos);
  }
}

}  // namespace
}  // namespace discreet::policy
