// A schedule manager: each line of the input is `start ID`, `stop ID` or `roll START STOP`; prints
// the number that STM answers, and the text of an error.
#include <gxf/stm/stm.h>
#include <iostream>
#include <string>

int main(int, char** argv) {
  stmErrorCode_t code = stmScheduleManagerInit(argv[1]);
  std::cout << "init " << code << " " << stmGetErrorText() << std::endl;
  if (code != STM_SUCCESS) return 1;
  std::string word;
  while (std::cin >> word) {
    unsigned first = 0, second = 0;
    std::cin >> first;
    if (word == "roll") std::cin >> second;
    code = word == "start"  ? stmStartSchedule(static_cast<uint16_t>(first))
           : word == "stop" ? stmStopSchedule(static_cast<uint16_t>(first))
                            : stmRollOverSchedule(static_cast<uint16_t>(first), static_cast<uint16_t>(second));
    std::cout << word << " " << code << " " << stmGetErrorText() << std::endl;
  }
  return stmScheduleManagerExit();
}
