#include "discreet/engine/trino/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace discreet::engine::trino {
namespace {

using std::string;

const std::vector<CellType> kTypes = {CellType::kText, CellType::kWide, CellType::kReal};
const string kColumns =
    R"j("columns":[{"name":"k","type":"varchar","typeSignature":{"rawType":"varchar","arguments":[{"kind":"LONG","value":2147483647}]}},{"name":"t","type":"decimal(38,0)"},{"name":"r","type":"double"}])j";

std::optional<Page> read(const string& json) { return Reader(kTypes).read(json); }
string with_data(const string& data) {
  return fmt::format(R"({{"id":"q","{}":1,{},"data":{},"stats":{{"state":"RUNNING"}}}})", "more",
                     kColumns, data);
}

TEST(Page, ReadsWhatTrinoSends) {
  const auto page = read(
      R"({"id":"20260101_000000_00001_abcde","infoUri":"http://h/ui/query.html?20260101","nextUri":"http://h:1/v1/statement/executing/20260101/y/2",)" +
      kColumns +
      R"(,"data":[["ward \u00e4 \ud83c\udfe5","-12345678901234567890123456789012345678",1.5],[null,null,null],["","0","NaN"]],)"
      R"("stats":{"state":"RUNNING","queued":false,"nodes":2,"progressPercentage":41.5,"rootStage":{"stageId":"0","subStages":[{"stageId":"1","subStages":[]}]}},"warnings":[]})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->id, "20260101_000000_00001_abcde");
  EXPECT_EQ(page->next_uri, "http://h:1/v1/statement/executing/20260101/y/2");
  EXPECT_EQ(page->state, "RUNNING");
  EXPECT_EQ(page->percent, 41.5);
  EXPECT_FALSE(page->error);
  ASSERT_EQ(page->cells.size(), 9U);
  EXPECT_EQ(page->cells[0].text, "ward ä 🏥");
  EXPECT_TRUE(page->cells[1].wide < 0);
  EXPECT_EQ(page->cells[2].real, 1.5);
  EXPECT_TRUE(page->cells[3].null && page->cells[4].null && page->cells[5].null);
  EXPECT_FALSE(page->cells[6].null);
  EXPECT_TRUE(page->cells[8].real != page->cells[8].real);
}

TEST(Page, AnErrorIsItsNameAndNoMore) {
  const auto page = read(
      R"({"id":"q","stats":{"state":"FAILED"},"error":{"message":"patient 41 divides by zero","errorCode":8,"errorName":"DIVISION_BY_ZERO","errorType":"USER_ERROR","failureInfo":{"type":"x","message":"patient 41","cause":{"cause":{}},"stack":["a","b"]}}})");
  ASSERT_TRUE(page && page->error);
  EXPECT_EQ(*page->error, "DIVISION_BY_ZERO");
  EXPECT_TRUE(read(R"({"id":"q","error":{}})")->error);
}

// Everything that isn't as expected leaves no page, rather than a page that is a little wrong.
TEST(Page, RefusesWhatIsNotAsExpected) {
  ASSERT_TRUE(read(with_data(R"([["a","1",1.5]])")));
  for (const char* data :
       {R"([["a","1"]])", R"([["a","1",1.5,2]])", R"([[1,"1",1.5]])", R"([["a",1,1.5]])",
        R"([["a","1","x"]])", R"([["a","1",[1]]])", R"([["a","1",{"r":1}]])", R"([{"k":"a"}])",
        R"(["a"])", R"([null])", R"([[]])", R"([["a","1",1e999]])", R"([["a","1.5",1.5]])",
        R"("abc")", R"(1)", R"(true)", R"({})", R"([[true,"1",1.5]])"})
    EXPECT_FALSE(read(with_data(data))) << data;
  for (const char* text : {"",
                           "[]",
                           "null",
                           "1",
                           "\"id\"",
                           "{}",
                           R"({"id":1})",
                           R"({"id":""})",
                           R"({"id":null})",
                           R"({"id":"q","nextUri":1})",
                           R"({"id":"q","nextUri":["x"]})",
                           R"({"id":"q","columns":{}})",
                           R"({"id":"q","columns":[]})",
                           R"({"id":"q","columns":["varchar"]})",
                           R"({"id":"q","columns":[null]})",
                           R"({"id":"q","columns":[{"name":"a"}]})",
                           R"({"id":"q","data":[]})",
                           R"({"id":"q","stats":[]})",
                           R"({"id":"q","stats":{"progressPercentage":101}})",
                           R"({"id":"q","stats":{"progressPercentage":-1}})",
                           R"({"id":"q","stats":{"progressPercentage":"1"}})",
                           R"({"id":"q","stats":{"state":1}})",
                           R"({"id":"q","id":"p"})",
                           R"({"id":"q","error":"x"})",
                           R"({"id":"q","error":[]})",
                           R"({"id":"q"} x)",
                           R"({"id":"q"}{"id":"q"})",
                           R"({"id":"q")",
                           "{\"id\":\"\xff\"}",
                           R"({"id":"q","more":NaN})",
                           R"({"id":"\ud800"})"})
    EXPECT_FALSE(read(text)) << text;
  // Other types than asked for, fewer, more, in another order; twice.
  for (const char* columns :
       {R"j([{"type":"varchar"},{"type":"decimal(38,0)"}])j",
        R"j([{"type":"varchar"},{"type":"decimal(38,0)"},{"type":"real"},{"type":"real"}])j",
        R"j([{"type":"decimal(38,0)"},{"type":"varchar"},{"type":"double"}])j",
        R"j([{"type":"varchar"},{"type":"decimal(38,2)"},{"type":"double"}])j",
        R"j([{"type":"varchar"},{"type":"bigint"},{"type":"double"}])j"})
    EXPECT_FALSE(read(fmt::format(R"({{"id":"q","columns":{}}})", columns))) << columns;
  EXPECT_TRUE(read("{\"id\":\"q\"," + kColumns + "}"));
  EXPECT_FALSE(read("{\"id\":\"q\"," + kColumns + "," + kColumns + "}"));
  EXPECT_FALSE(read("{\"id\":\"q\"," + kColumns + R"(,"data":[],"data":[]})"));
}

TEST(Page, DepthAndLengthAreBounded) {
  const auto nested = [](std::size_t depth) {
    return R"({"id":"q","more":)" + string(depth, '[') + string(depth, ']') + "}";
  };
  EXPECT_TRUE(read(nested(150)));
  EXPECT_FALSE(read(nested(250)));
  EXPECT_FALSE(read(nested(2'000'000)));
  const auto with_link = [](std::size_t length) {
    return R"({"id":"q","nextUri":")" + string(length, 'a') + "\"}";
  };
  EXPECT_TRUE(read(with_link(4000)));
  EXPECT_FALSE(read(with_link(5000)));
}

// Cut anywhere, it is no page.
TEST(Page, CutAnywhereItIsNone) {
  const string whole = with_data(R"([["a","1",1.5],["é","-2","Infinity"]])");
  ASSERT_TRUE(read(whole));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(read(whole.substr(0, length))) << length;
}

}  // namespace
}  // namespace discreet::engine::trino
